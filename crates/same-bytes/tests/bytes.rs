//! The pinned hashes hold: one run after the other, all at once, and as WebAssembly in an interpreter.
//!
//! The last is built only with the feature `interpreter`, and is skipped without the target `wasm32-unknown-unknown`; it says
//! so. `INNOSIM_WASM=required` makes that a failure, which is what continuous integration wants; `INNOSIM_WASM=later` skips it.

use innosim_flush_models::registry::ModelId;
use innosim_same_bytes::{CASES, Case};
use libtest_mimic::{Arguments, Completion, Failed, Trial};
use std::path::Path;
use std::process::ExitCode;
use std::thread;

fn main() -> ExitCode {
    let trials = vec![
        Trial::test("every_model_has_a_run", every_model_has_a_run),
        Trial::test("every_run_has_its_pinned_hash", every_run_has_its_pinned_hash),
        Trial::test("runs_beside_each_other_change_nothing", runs_beside_each_other_change_nothing),
        Trial::ignorable_test("webassembly_gives_the_same_bytes", webassembly_gives_the_same_bytes),
    ];
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

fn hash(case: &Case) -> Result<u64, Failed> {
    case.hash().map_err(|error| Failed::from(format!("{} {error}", case.name())))
}

fn every_model_has_a_run() -> Result<(), Failed> {
    let models = CASES.iter().map(|case| case.load().map(|scenario| scenario.model)).collect::<Result<Vec<_>, _>>()?;
    let without: Vec<&ModelId> = ModelId::ALL.iter().filter(|model| !models.contains(model)).collect();
    if without.is_empty() { Ok(()) } else { Err(Failed::from(format!("no run of {without:?}"))) }
}

fn every_run_has_its_pinned_hash() -> Result<(), Failed> {
    let mut lines = String::new();
    let mut changed = Vec::new();
    for case in &CASES {
        let hash = hash(case)?;
        lines.push_str(&format!("{} {hash:016x}\n", case.name()));
        if case.pinned() != Some(hash) {
            changed.push(format!("  {}", case.name()));
        }
    }
    if std::env::var_os("UPDATE_HASHES").is_some() {
        std::fs::write(Path::new(env!("CARGO_MANIFEST_DIR")).join("hashes.txt"), lines)?;
        return Ok(());
    }
    if changed.is_empty() {
        return Ok(());
    }
    Err(Failed::from(format!(
        "these runs give other bytes than before:\n{}\nIf that is meant, say in the changelog what became different, and renew the \
         hashes: UPDATE_HASHES=1 cargo test -p innosim-same-bytes",
        changed.join("\n")
    )))
}

/// Runs of every kind at the same time, on a thread each, with a second one of the same beside it.
fn runs_beside_each_other_change_nothing() -> Result<(), Failed> {
    let twice = CASES.iter().filter(|case| case.seconds <= 2).flat_map(|case| [case, case]);
    let hashes = thread::scope(|scope| {
        let threads: Vec<_> = twice.map(|case| scope.spawn(move || hash(case))).collect();
        let joined = threads.into_iter().map(|thread| thread.join().map_err(|_| Failed::from("a run panicked"))?);
        joined.collect::<Result<Vec<u64>, Failed>>()
    })?;
    for (pair, case) in hashes.chunks_exact(2).zip(CASES.iter().filter(|case| case.seconds <= 2)) {
        let alone = hash(case)?;
        if pair.iter().any(|&beside| beside != alone) {
            return Err(Failed::from(format!("{} {alone:016x} alone, beside others {pair:016x?}", case.name())));
        }
    }
    Ok(())
}

#[cfg(not(feature = "interpreter"))]
fn webassembly_gives_the_same_bytes() -> Result<Completion, Failed> {
    Ok(Completion::ignored_with("skipped: built without the feature `interpreter`"))
}

#[cfg(feature = "interpreter")]
fn webassembly_gives_the_same_bytes() -> Result<Completion, Failed> {
    use interpreter::TARGET;
    let wish = std::env::var("INNOSIM_WASM").unwrap_or_default();
    if wish == "later" {
        return Ok(Completion::ignored_with("skipped: INNOSIM_WASM=later"));
    }
    if !interpreter::target_is_installed() {
        let why = format!("no target {TARGET}; `rustup target add {TARGET}` brings it");
        return if wish == "required" {
            Err(Failed::from(why))
        } else {
            Ok(Completion::ignored_with(format!("skipped: {why}")))
        };
    }
    let module = std::fs::read(interpreter::compiled()?)?;
    let differs = interpreter::run(&module).map_err(|error| Failed::from(format!("the interpreter: {error}")))?;
    match usize::try_from(differs).unwrap_or(usize::MAX) {
        0 => Ok(Completion::Completed),
        number => {
            let case = CASES.iter().filter(|case| case.brief).nth(number - 1).map(Case::name);
            Err(Failed::from(format!("as WebAssembly, other bytes: {} {differs}", case.unwrap_or_default())))
        }
    }
}

#[cfg(feature = "interpreter")]
mod interpreter {
    use libtest_mimic::Failed;
    use std::path::{Path, PathBuf};
    use std::process::Command;

    pub(super) const TARGET: &str = "wasm32-unknown-unknown";

    pub(super) fn target_is_installed() -> bool {
        let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
        let told = Command::new(rustc).args(["--print", "target-libdir", "--target", TARGET]).output();
        told.is_ok_and(|told| told.status.success() && Path::new(String::from_utf8_lossy(&told.stdout).trim()).is_dir())
    }

    /// Compiles this crate's program, in a target folder of its own.
    pub(super) fn compiled() -> Result<PathBuf, Failed> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/wasm");
        let built = Command::new(env!("CARGO"))
            .args(["build", "--locked", "--quiet", "--package", "innosim-same-bytes", "--bin", "innosim-same-bytes"])
            .args(["--profile", "quick", "--target", TARGET, "--target-dir"])
            .arg(&folder)
            .output()?;
        if !built.status.success() {
            return Err(Failed::from(String::from_utf8_lossy(&built.stderr).into_owned()));
        }
        Ok(folder.join(TARGET).join("quick/innosim-same-bytes.wasm"))
    }

    /// What the program's `main` comes back with.
    pub(super) fn run(module: &[u8]) -> Result<i32, wasmi::Error> {
        let engine = wasmi::Engine::default();
        let module = wasmi::Module::new(&engine, module)?;
        let mut store = wasmi::Store::new(&engine, ());
        let instance = wasmi::Linker::new(&engine).instantiate_and_start(&mut store, &module)?;
        instance.get_typed_func::<(i32, i32), i32>(&store, "main")?.call(&mut store, (0, 0))
    }
}
