//! One bounded pool of threads, and documents split over it by bytes.
//!
//! The plugin has a pool of its own because Polars gives eager calls one thread, and its pool cannot be reached from a
//! plugin. Callers outside the pool wait in `install`, so the pool's size bounds the threads that chunk, whatever the
//! number of callers. Rows do not matter for the split, bytes do: a batch often has one huge document.

use std::ops::Range;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::documents::Documents;

/// Below this many bytes in a call, threads cost more than they bring.
const INLINE_BYTES: usize = 256 << 10;
/// Bytes of a task, at the least and at the most.
const TASK_BYTES: Range<usize> = 64 << 10..1 << 20;
/// What a row costs beside its bytes, in bytes: bounds the rows of a task when all are empty.
const ROW_BYTES: usize = 64;

/// A run of rows of one array of a column.
#[derive(Clone, Debug)]
pub struct Task {
    /// Index of the array in the column.
    pub array: usize,
    /// Rows of that array.
    pub rows: Range<usize>,
    /// Row of the column at which the array begins.
    pub first_row: usize,
}

/// Runs `work` over all rows of a column of arrays; results come in row order, and so does the first error.
pub fn map<D, T, E>(arrays: &[D], work: impl Fn(&Task) -> Result<T, E> + Sync) -> Result<Vec<T>, E>
where
    D: Documents,
    T: Send,
    E: Send,
{
    let total: usize = arrays.iter().map(cost).sum();
    let task_bytes = (total / (thread_count() * 8)).clamp(TASK_BYTES.start, TASK_BYTES.end);
    let tasks = tasks(arrays, task_bytes);
    run(tasks, total, |task| work(&task)).into_iter().collect()
}

/// Runs `work` over all items, which have `bytes` bytes in all, in parallel if that pays; results come in order.
pub fn run<I: Send, T: Send>(items: Vec<I>, bytes: usize, work: impl Fn(I) -> T + Sync) -> Vec<T> {
    let threads = thread_count();
    let worth_it = bytes >= INLINE_BYTES && items.len() > 1 && threads > 1;
    match worth_it.then(|| pool(threads)).flatten() {
        Some(pool) => pool.install(|| items.into_par_iter().with_max_len(1).map(&work).collect()),
        None => items.into_iter().map(work).collect(),
    }
}

fn cost<D: Documents>(array: &D) -> usize {
    (0..array.rows()).map(|row| array.byte_len(row) + ROW_BYTES).sum()
}

/// Runs of rows of about `task_bytes` each; a row is never split, and an array without rows has no task.
fn tasks<D: Documents>(arrays: &[D], task_bytes: usize) -> Vec<Task> {
    let mut tasks = Vec::new();
    let mut first_row = 0;
    for (index, array) in arrays.iter().enumerate() {
        for rows in byte_runs(array, task_bytes) {
            tasks.push(Task { array: index, rows, first_row });
        }
        first_row += array.rows();
    }
    tasks
}

/// Cuts the rows of an array into runs of at most `run_bytes` each, or of one row that is longer.
pub fn byte_runs<D: Documents>(array: &D, run_bytes: usize) -> Vec<Range<usize>> {
    let mut runs = Vec::new();
    let (mut start, mut bytes) = (0, 0usize);
    for row in 0..array.rows() {
        let cost = array.byte_len(row) + ROW_BYTES;
        if row > start && bytes.saturating_add(cost) > run_bytes {
            runs.push(start..row);
            (start, bytes) = (row, 0);
        }
        bytes += cost;
    }
    if start < array.rows() {
        runs.push(start..array.rows());
    }
    runs
}

/// Threads to use: `TOKENCHUNK_THREADS`, else `POLARS_MAX_THREADS`, else all cores. Read at each call, so that a process
/// can change its mind until the pool is made.
pub fn thread_count() -> usize {
    let set = |name: &str| std::env::var(name).ok()?.parse().ok().filter(|count: &usize| *count > 0);
    set("TOKENCHUNK_THREADS")
        .or_else(|| set("POLARS_MAX_THREADS"))
        .or_else(|| std::thread::available_parallelism().ok().map(usize::from))
        .unwrap_or(1)
}

struct Pool {
    process: u32,
    threads: ThreadPool,
}

/// A raw pointer, not a lock: a lock held by another thread while the process forks would never open in the child.
static POOL: AtomicPtr<Pool> = AtomicPtr::new(ptr::null_mut());

/// The pool of this process, made at the first call. `None` where the system gives no threads: the caller works alone.
fn pool(threads: usize) -> Option<&'static ThreadPool> {
    let current = POOL.load(Ordering::Acquire);
    // SAFETY: a pointer in POOL comes from `Box::leak` and is never freed.
    if let Some(pool) = unsafe { current.as_ref() }
        && pool.process == std::process::id()
    {
        return Some(&pool.threads);
    }
    // None yet, or we are the child of a fork: its threads stayed behind in the parent, so it can only be left.
    let threads = ThreadPoolBuilder::new()
        .num_threads(threads)
        .thread_name(|index| format!("tokenchunk-{index}"))
        .build()
        .ok()?;
    let fresh: *mut Pool = Box::leak(Box::new(Pool { process: std::process::id(), threads }));
    match POOL.compare_exchange(current, fresh, Ordering::AcqRel, Ordering::Acquire) {
        // SAFETY: `fresh` was leaked above and is never freed.
        Ok(_) => Some(unsafe { &(*fresh).threads }),
        // Another caller was first: its pool serves all, and ours, which nobody saw, ends here.
        Err(theirs) => {
            // SAFETY: `fresh` is still ours alone; `theirs` was leaked by the other caller and is never freed.
            let pool = unsafe {
                drop(Box::from_raw(fresh));
                &*theirs
            };
            Some(&pool.threads)
        }
    }
}
