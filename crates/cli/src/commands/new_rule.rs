//! `innosim new-rule`: a small Rust project for a flushing rule of one's own.
//!
//! It holds the rule (`src/lib.rs`), a program with all of innosim's commands and the rule in them (`src/main.rs`, which calls
//! [`crate::main_with`]), and tests. The files stand in `template/`, as they are written, but for names. Nothing is left of
//! a project that can't be written whole.

use crate::args::{Format, NewRuleArgs};
use crate::exit::{Done, Failure, remedy};
use crate::out_dir::fill;
use crate::output::{print, print_json, shell_line};
use innosim_report::write_file;
use innosim_rules::Rule;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// The sources that this program was built from.
const SOURCES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
/// Where the crate of the commands is in a checkout.
const CLI: &str = "crates/cli";
/// Longest name of a rule, characters.
const LONGEST_NAME: usize = 40;
/// What a project is without.
const LAST: &str = "Cargo.toml";

/// Files of a project: where they go, and their text with names left open.
const TEMPLATE: [(&str, &str); 6] = [
    ("Cargo.toml", include_str!("../../template/Cargo.toml.in")),
    (".gitignore", include_str!("../../template/gitignore.in")),
    ("README.md", include_str!("../../template/README.md.in")),
    ("src/lib.rs", include_str!("../../template/src/lib.rs.in")),
    ("src/main.rs", include_str!("../../template/src/main.rs.in")),
    ("tests/rule.rs", include_str!("../../template/tests/rule.rs.in")),
];

/// Names that Cargo or Rust keeps for itself.
const TAKEN: &str = "\
    abstract alloc as async await become box break build const continue core crate deps do dyn else enum examples \
    extern false final fn for gen if impl in incremental innosim-cli let loop macro match mod move mut override priv \
    proc-macro pub ref return self static std struct super test trait true try type typeof unsafe use virtual where \
    while yield";

/// Where the project finds innosim.
#[derive(Debug)]
enum Innosim {
    /// A checkout on this machine.
    Path(PathBuf),
    /// A repository, at a revision if one is named.
    Git { url: String, rev: Option<String> },
}

impl Innosim {
    /// As the options say; the sources that this program was built from if they say nothing.
    fn chosen(args: &NewRuleArgs) -> Result<Innosim, Failure> {
        if let Some(url) = &args.git {
            return Ok(Innosim::Git { url: url.clone(), rev: args.rev.clone() });
        }
        let wanted = args.path.clone().unwrap_or_else(|| PathBuf::from(SOURCES));
        let manifest = wanted.join(CLI).join("Cargo.toml");
        let is_innosim = fs::read_to_string(&manifest).is_ok_and(|text| text.contains("name = \"innosim-cli\""));
        match wanted.canonicalize().ok().filter(|_| is_innosim) {
            Some(path) => Ok(Innosim::Path(path)),
            None if args.path.is_none() => {
                let what = "the sources that this innosim was built from are gone";
                let help = "name a checkout of innosim (--path DIR) or a repository (--git URL)";
                Err(Failure::Input(format!("{what}\n  = help: {help}")))
            }
            None => {
                let what = format!("{} is no checkout of innosim: it has no {CLI}", wanted.display());
                let help = "give the folder with innosim's Cargo.toml and crates/, or a repository with --git URL";
                Err(Failure::Input(format!("{what}\n  = help: {help}")))
            }
        }
    }

    /// As a dependency in Cargo.toml.
    fn dependency(&self) -> String {
        // A string of JSON is one of TOML too.
        let quoted = |text: &str| Value::String(text.to_owned()).to_string();
        match self {
            Innosim::Path(path) => format!("{{ path = {} }}", quoted(&path.join(CLI).display().to_string())),
            Innosim::Git { url, rev: None } => format!("{{ git = {} }}", quoted(url)),
            Innosim::Git { url, rev: Some(rev) } => format!("{{ git = {}, rev = {} }}", quoted(url), quoted(rev)),
        }
    }

    /// The versions of crates that innosim was tested with.
    fn lock(&self) -> Option<String> {
        let Innosim::Path(path) = self else { return None };
        fs::read_to_string(path.join("Cargo.lock")).ok()
    }
}

/// Makes the project.
pub(crate) fn run(args: &NewRuleArgs) -> Done {
    check_name(&args.name)?;
    let folder = args.dir.clone().unwrap_or_else(|| PathBuf::from(&args.name));
    if folder.exists() {
        let help = "choose another name, name another folder with --dir, or remove what is there";
        return Err(Failure::Input(format!("{} is there already\n  = help: {help}", folder.display())));
    }
    let innosim = Innosim::chosen(args)?;
    let files = files(&args.name, &innosim);
    write(&folder, &files)?;
    match args.form.format {
        Format::Json => print_json(&json!({
            "innosim_version": crate::outcome::VERSION,
            "name": args.name,
            "folder": folder.display().to_string(),
            "innosim": innosim.dependency(),
            "files": files.iter().map(|(name, _)| *name).collect::<Vec<_>>(),
        })),
        Format::Human => print(&next_steps(&args.name, &folder)),
    }
}

fn next_steps(name: &str, folder: &Path) -> String {
    let place = shell_line([folder.display().to_string()]);
    format!(
        "{} holds a flushing rule in Rust (src/lib.rs), tests, and a program that has all of innosim's commands with the rule \
         in them.\n\n  cd {place}\n  cargo test\n  cargo run --release -- compare redo-too-small --rule {name}\n  \
         cargo run --release -- bench-rules --rule {name}\n\nThe first build takes some minutes. README.md there and \
         docs/rules.md tell more.\n",
        folder.display()
    )
}

/// Refuses what can't be the name of a rule, of a crate, or of a type.
fn check_name(name: &str) -> Done {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let begins = name.starts_with(|c: char| c.is_ascii_lowercase());
    let dashes = name.ends_with('-') || name.contains("--");
    let problem = if !begins || dashes || !name.chars().all(plain) || name.len() > LONGEST_NAME {
        "is no name of a rule"
    } else if TAKEN.split(' ').any(|taken| taken == name) {
        "is a name that Rust or Cargo keeps for itself"
    } else if Rule::named(name).is_some() || name == "server" || name == "innosim" {
        "is the name of something that innosim has already"
    } else {
        return Ok(());
    };
    let help = "a name has small letters and digits, with single `-` between them, begins with a letter, and has at most 40 \
                characters: hold-half";
    Err(Failure::Input(format!("{name:?} {problem}\n  = help: {help}")))
}

/// The files of a project: name and text.
fn files(name: &str, innosim: &Innosim) -> Vec<(&'static str, String)> {
    let capital = |word: &str| word[..1].to_ascii_uppercase() + &word[1..];
    let type_name: String = name.split('-').map(capital).collect();
    let filled = |text: &str| {
        text.replace("{{name}}", name)
            .replace("{{crate}}", &name.replace('-', "_"))
            .replace("{{type}}", &type_name)
            .replace("{{innosim}}", &innosim.dependency())
    };
    let project = TEMPLATE.iter().map(|(place, text)| (*place, filled(text)));
    project.chain(innosim.lock().map(|lock| ("Cargo.lock", lock))).collect()
}

/// Writes all files, or leaves nothing.
fn write(folder: &Path, files: &[(&'static str, String)]) -> Done {
    fs::create_dir_all(folder).map_err(|error| {
        Failure::Input(format!("can't make {}: {error}\n  = help: {}", folder.display(), remedy(&error)))
    })?;
    let written = fill(folder, LAST, |staging| {
        for (name, text) in files {
            let path = staging.join(name);
            let inside = path.parent().unwrap_or(staging);
            fs::create_dir_all(inside)
                .map_err(|source| innosim_report::ReportError::Io { path: inside.to_path_buf(), source })?;
            write_file(&path, text.as_bytes())?;
        }
        Ok(())
    });
    if written.is_err() {
        // Only an empty folder goes.
        let _ = fs::remove_dir(folder);
    }
    written
}
