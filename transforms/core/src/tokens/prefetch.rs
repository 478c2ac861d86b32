//! A hint to the processor that a cache line will be needed soon.

/// Asks for the cache line of `place`. Changes nothing but time.
#[inline(always)]
#[cfg(target_arch = "x86_64")]
#[expect(unsafe_code, reason = "the intrinsic takes a raw pointer; without it counting is a third slower")]
pub(super) fn prefetch<T>(place: &T) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    // SAFETY: a prefetch reads nothing that the program can see and never faults; SSE is part of x86-64.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(place).cast()) }
}

/// No hint on other processors.
#[inline(always)]
#[cfg(not(target_arch = "x86_64"))]
pub(super) fn prefetch<T>(_: &T) {}
