//! Scratch memory and count caches of the core, kept by thread.
//!
//! By thread and not in a shared list, so that nothing is locked: a process may fork at any time. A workspace holds a few
//! MiB and gets faster with use, so a thread keeps the ones of the encodings that it used last.

use std::cell::RefCell;

use tokenchunk_core::{Encoding, Workspace};

/// Encodings that a thread remembers.
const KEPT: usize = 2;

struct Kept {
    name: String,
    sha256: String,
    workspace: Workspace,
}

thread_local! {
    static WORKSPACES: RefCell<Vec<Kept>> = const { RefCell::new(Vec::new()) };
}

/// Runs `work` with this thread's workspace for `encoding`.
pub fn with<T>(encoding: &Encoding, work: impl FnOnce(&mut Workspace) -> T) -> T {
    // Taken out while in use: a panic in `work` then drops it instead of leaving it half written.
    let mut kept = take(encoding);
    let result = work(&mut kept.workspace);
    WORKSPACES.with_borrow_mut(|workspaces| {
        workspaces.truncate(KEPT - 1);
        workspaces.insert(0, kept);
    });
    result
}

fn take(encoding: &Encoding) -> Kept {
    let known = |kept: &Kept| kept.name == encoding.name() && kept.sha256 == encoding.sha256();
    let found = WORKSPACES
        .with_borrow_mut(|workspaces| workspaces.iter().position(known).map(|index| workspaces.remove(index)));
    found.unwrap_or_else(|| Kept {
        name: encoding.name().to_owned(),
        sha256: encoding.sha256().to_owned(),
        workspace: Workspace::new(encoding),
    })
}
