//! Puts the page that teaches together.
//!
//! ```text
//!   crates/playground/src   --cargo, wasm32-->  engine --wasm-bindgen-->  glue + engine.wasm --+
//!   crates/playground/page, crates/html-assets  ---------------------------------------------> index.html
//! ```
//!
//! `index.html` stands alone: styles, scripts and the engine, compressed, are inside, because a browser that opens a page
//! from disk loads no other file for it. `engine.wasm` beside it is the same engine as a file, for programs.
//!
//! Nothing built is kept in the repository. What is needed is the Rust toolchain with the target
//! `wasm32-unknown-unknown`; a machine that lacks it gets [`PageError::NoTarget`], which says how to add it.

mod assemble;
mod engine;

pub use assemble::{PageFile, assemble};
pub use engine::{Engine, TARGET, build_engine, has_target};

use std::path::{Path, PathBuf};

/// Why there is no page.
#[derive(Debug, thiserror::Error)]
pub enum PageError {
    /// The toolchain can't build for a browser.
    #[error(
        "the page needs the Rust target {TARGET}, which this toolchain lacks\n  = help: rustup target add {TARGET}, and \
         give the same command again"
    )]
    NoTarget,
    /// Cargo could not be started, or failed.
    #[error("the engine of the page can't be built: {0}")]
    Cargo(String),
    /// The engine was built but can't be made ready for a browser.
    #[error("the engine of the page can't be made ready for a browser: {0}")]
    Glue(String),
    /// A file can't be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
}

/// Builds the whole page from the sources in `workspace`; what cargo builds goes to `target`.
///
/// # Errors
/// [`PageError`].
pub fn build_page(workspace: &Path, target: &Path) -> Result<Vec<PageFile>, PageError> {
    assemble(&build_engine(workspace, target)?)
}
