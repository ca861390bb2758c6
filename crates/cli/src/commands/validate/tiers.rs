//! `innosim validate --tiers`: shipped scenarios in the coarse tier and in the exact one, and how far the coarse one is off.

use super::LAST;
use crate::args::ValidateArgs;
use crate::exit::{Done, Failure};
use crate::interrupt::{self, UntilAsked};
use crate::out_dir::{OutDir, fill};
use crate::outcome::VERSION;
use crate::runner::{failure, pool};
use crate::show::show;
use crate::text_table::TextTable;
use innosim_core::metrics::Regime;
use innosim_experiments::reproduce::short;
use innosim_experiments::runner::{Job, in_parallel};
use innosim_experiments::tiers::{
    BothTiers, RefusedCase, TIER_FIGURES, TierCase, TierFigures, error_of, shipped_cases,
};
use innosim_flow::FlowError;
use innosim_report::write_json;
use innosim_scenario::Overrides;
use serde_json::{Map, Value, json};

/// Replications of a scenario if nothing is said.
const REPLICATIONS: u32 = 3;

/// The head of each figure's column.
const HEADS: [&str; TIER_FIGURES.len()] =
    [">tps", ">age", ">dirty", ">flushed", ">sync", ">lowest 10 s", ">collapse", ">period"];

/// A scenario and its replications.
struct Compared {
    case: TierCase,
    pairs: Vec<BothTiers>,
}

impl Compared {
    fn name(&self) -> String {
        format!("{}{}", short(&self.case.scenario.name), if self.case.warmed { " *" } else { "" })
    }

    fn errors(&self) -> impl Iterator<Item = (&'static str, Option<f64>)> + '_ {
        TIER_FIGURES.iter().map(|(name, of)| (*name, error_of(&self.pairs, of)))
    }

    /// How much more of its seconds the coarse tier has stalled, and the exact one's share.
    fn stalled(&self) -> [f64; 2] {
        let mean = |tier: fn(&BothTiers) -> &TierFigures| {
            self.pairs.iter().map(|pair| tier(pair).stalled_share).sum::<f64>() / self.pairs.len() as f64
        };
        [mean(|pair| &pair.flow), mean(|pair| &pair.exact)]
    }

    fn same_regime(&self) -> usize {
        self.pairs.iter().filter(|pair| pair.flow.regime == pair.exact.regime).count()
    }

    fn regime(&self) -> Regime {
        self.pairs.first().map_or(Regime::Idle, |pair| pair.exact.regime)
    }

    fn windows(&self) -> usize {
        self.pairs.iter().map(|pair| pair.windows).max().unwrap_or(0)
    }
}

/// Runs all in both tiers.
pub(super) fn run(args: &ValidateArgs) -> Done {
    let common = Overrides { duration: args.duration.clone(), seed: args.common.seed, ..Overrides::default() };
    let (cases, mut refused) = shipped_cases(&common)?;
    let out = args.out.as_deref().map(OutDir::prepare).transpose()?;
    interrupt::listen();
    let replications = args.replications.unwrap_or(REPLICATIONS);
    let compared = pool(args.common.jobs)?.install(|| compare(cases, replications, &mut refused))?;
    let document = document(&compared, &refused);
    if let Some(out) = &out {
        fill(out.path(), LAST, |dir| write_json(&dir.join(LAST), &document))?;
    }
    show(args.form.format, &document, &for_people(&compared, refused.len()))?;
    if let Some(out) = out {
        out.tell(args.common.quiet, LAST);
    }
    Ok(())
}

/// All replications of all cases; cases that are refused on the way join the others.
fn compare(cases: Vec<TierCase>, replications: u32, refused: &mut Vec<RefusedCase>) -> Result<Vec<Compared>, Failure> {
    let jobs: Vec<Job<'_>> = cases
        .iter()
        .flat_map(|TierCase { scenario, .. }| (0..replications).map(move |replication| Job { scenario, replication }))
        .collect();
    let mut results = in_parallel(&jobs, |&job| {
        BothTiers::run(job, &UntilAsked).map_err(|error| match error {
            FlowError::Refused(why) => Ok(RefusedCase { scenario: job.scenario.name.clone(), why }),
            FlowError::Run(error) => Err(failure(job, &error)),
        })
    })
    .into_iter();
    drop(jobs);
    let mut compared = Vec::new();
    for case in cases {
        let mut pairs = Vec::new();
        let mut why = None;
        for result in results.by_ref().take(replications as usize) {
            match result {
                Ok(pair) => pairs.extend(pair),
                Err(Ok(refused)) => why = Some(refused),
                Err(Err(failure)) => return Err(failure),
            }
        }
        match why {
            Some(why) => refused.push(why),
            None => compared.push(Compared { case, pairs }),
        }
    }
    Ok(compared)
}

fn for_people(compared: &[Compared], refused: usize) -> String {
    let mut text = "How far the coarse tier is off:\n\n".to_owned();
    let heads: Vec<&str> = ["scenario"].into_iter().chain(HEADS).chain([">stalled", "regime", ">windows"]).collect();
    let mut table = TextTable::new(&heads);
    let share = |error: Option<f64>| error.map_or_else(|| "-".to_owned(), |error| format!("{:+.1} %", 100.0 * error));
    for one in compared {
        let mut row = vec![one.name()];
        row.extend(one.errors().map(|(_, error)| share(error)));
        let [flow, exact] = one.stalled();
        row.push(format!("{:+.1} points", 100.0 * (flow - exact)));
        let (same, all) = (one.same_regime(), one.pairs.len());
        row.push(if same == all {
            one.regime().to_string()
        } else {
            format!("{}, same in {same} of {all}", one.regime())
        });
        row.push(one.windows().to_string());
        table.row(row);
    }
    text.push_str(&table.render());
    if compared.iter().any(|one| one.case.warmed) {
        text.push_str("\n* begun with all pages in memory, which the scenario is not\n");
    }
    text.push_str(&format!(
        "\nLatencies are the exact tier's alone. {refused} scenarios are refused and run exactly.\n"
    ));
    text
}

fn document(compared: &[Compared], refused: &[RefusedCase]) -> Value {
    let of_case = |one: &Compared| -> Value {
        let errors: Map<String, Value> = one.errors().map(|(name, error)| (name.to_owned(), json!(error))).collect();
        let [flow, exact] = one.stalled();
        json!({
            "scenario": one.case.scenario.name,
            "begun_warm": one.case.warmed,
            "replications": one.pairs.len(),
            "errors": errors,
            "stalled_share": { "flow": flow, "exact": exact },
            "regime": { "exact": one.regime().name(), "same": one.same_regime() },
            "windows": one.windows(),
        })
    };
    let of_refused = |one: &RefusedCase| json!({ "scenario": one.scenario, "why": one.why.to_string() });
    json!({
        "innosim_version": VERSION,
        "scenarios": compared.iter().map(of_case).collect::<Vec<_>>(),
        "refused": refused.iter().map(of_refused).collect::<Vec<_>>(),
    })
}
