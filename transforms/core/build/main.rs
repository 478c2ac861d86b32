//! Generates what the core carries: the vocabularies, and the tables of character classes.
//!
//! Everything comes from published crates that Cargo has already verified; no socket is opened.

mod classes;
#[path = "../src/tokens/pairs.rs"]
mod pairs;
mod vocabularies;

use std::{env, path::PathBuf};

fn main() {
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed=src/tokens/pairs.rs");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("Cargo sets OUT_DIR"));
    classes::write(&out.join("classes.rs"));
    vocabularies::write(&out);
}
