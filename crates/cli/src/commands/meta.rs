//! `innosim schema`, `innosim completions`, `innosim man`: the program's description of itself.

use crate::args::{CompletionsArgs, ManArgs, command};
use crate::exit::{Done, Failure};
use crate::output::print_json;
use crate::show::show;
use clap::Command;
use serde_json::json;

/// Prints the JSON Schema of scenarios, which is JSON in either form.
pub(crate) fn schema() -> Done {
    print_json(&innosim_scenario::json_schema())
}

/// Prints a completion script.
pub(crate) fn completions(args: &CompletionsArgs) -> Done {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command(), "innosim", &mut script);
    let script = String::from_utf8_lossy(&script);
    show(args.format, &json!({ "shell": args.shell.to_string(), "script": script }), &script)
}

/// Prints a manual page.
pub(crate) fn man(args: &ManArgs) -> Done {
    let mut program = command().disable_help_subcommand(true);
    program.build();
    let shown = match &args.command {
        None => program,
        Some(name) => subcommand(&program, name)?,
    };
    let mut page = Vec::new();
    clap_mangen::Man::new(shown)
        .render(&mut page)
        .map_err(|error| Failure::Input(format!("can't render the manual page: {error}")))?;
    let page = String::from_utf8_lossy(&page);
    show(args.format, &json!({ "command": args.command, "page": page }), &page)
}

fn subcommand(program: &Command, name: &str) -> Result<Command, Failure> {
    let found = program.find_subcommand(name).ok_or_else(|| {
        let names: Vec<&str> = program.get_subcommands().map(Command::get_name).collect();
        Failure::Input(format!("there is no command `{name}`\n  = help: the commands are {}", names.join(", ")))
    })?;
    Ok(found.clone().display_name(format!("innosim-{name}")).bin_name(format!("innosim {name}")))
}
