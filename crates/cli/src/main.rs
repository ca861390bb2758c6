//! The `innosim` program. All of it is in the library beside this file, so that programs with rules of their own have it too.

fn main() -> std::process::ExitCode {
    innosim_cli::main()
}
