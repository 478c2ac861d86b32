//! Encodings by name or hash: the built-in ones, and those that this process was told about.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

use tokenchunk_core::{Encoding, Error};

static REGISTERED: RwLock<Option<HashMap<String, Encoding>>> = RwLock::new(None);

/// Makes a user's encoding known in this process; returns the hash that names it.
pub fn register(name: &str, pattern: &str, ranks: Vec<(Vec<u8>, u32)>) -> Result<String, Error> {
    let encoding = Encoding::custom(name, pattern, ranks)?;
    let sha256 = encoding.sha256().to_owned();
    let mut registered = REGISTERED.write().unwrap_or_else(PoisonError::into_inner);
    registered.get_or_insert_default().entry(sha256.clone()).or_insert(encoding);
    Ok(sha256)
}

/// The built-in encoding of that name, or with a hash the registered one.
pub fn find(name: &str, sha256: Option<&str>) -> Result<Encoding, String> {
    let Some(sha256) = sha256 else {
        return Encoding::builtin(name).map_err(|error| error.to_string());
    };
    registered(sha256).ok_or_else(|| {
        format!(
            "encoding {name:?} (sha256 {sha256}) is not known in this process: call \
             tokenchunk.register_encoding(encoding) with its tiktoken.Encoding before the plan runs here"
        )
    })
}

fn registered(sha256: &str) -> Option<Encoding> {
    let registered = REGISTERED.read().unwrap_or_else(PoisonError::into_inner);
    registered.as_ref()?.get(sha256).cloned()
}
