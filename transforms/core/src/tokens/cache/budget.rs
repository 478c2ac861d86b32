//! How many bytes the caches of a process may take together, however many threads it has.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Enough for 64 workers. Whoever comes later does without a cache of its own, and merges what is no token.
pub(crate) static PROCESS: Budget = Budget::new(256 << 20);

#[derive(Debug)]
pub(crate) struct Budget {
    left_bytes: AtomicUsize,
}

/// A part of a budget, given back when it is dropped.
#[derive(Debug)]
pub(crate) struct Share {
    budget: &'static Budget,
    bytes: usize,
}

impl Budget {
    pub(crate) const fn new(bytes: usize) -> Budget {
        Budget { left_bytes: AtomicUsize::new(bytes) }
    }

    /// Takes so many bytes, if they are left.
    pub(crate) fn take(&'static self, bytes: usize) -> Option<Share> {
        let less = |left: usize| left.checked_sub(bytes);
        // No other memory depends on it.
        self.left_bytes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).ok()?;
        Some(Share { budget: self, bytes })
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.budget.left_bytes.fetch_add(self.bytes, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_is_missing_until_it_is_given_back() {
        static BUDGET: Budget = Budget::new(10);
        let share = BUDGET.take(6);
        assert!(share.is_some() && BUDGET.take(6).is_none());
        drop(share);
        assert!(BUDGET.take(6).is_some());
    }
}
