//! "Did you mean": the names nearest to a misspelt one.

/// At most three of `candidates` that look like `name`, best first.
pub(crate) fn near<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let wanted = name.to_lowercase().replace('-', "_");
    let mut scored: Vec<(f64, &str)> = candidates
        .into_iter()
        .map(|candidate| (similarity(&wanted, &candidate.to_lowercase().replace('-', "_")), candidate))
        .filter(|(score, _)| *score >= 0.6)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    scored.dedup_by_key(|(_, candidate)| *candidate);
    scored.into_iter().map(|(_, candidate)| candidate).take(3).collect()
}

/// From 0 (nothing in common) to 1 (the same).
fn similarity(wanted: &str, candidate: &str) -> f64 {
    if !wanted.is_empty() && candidate.contains(wanted) {
        return 0.9;
    }
    strsim::normalized_damerau_levenshtein(wanted, candidate)
}

/// `did you mean a, b or c?`, or nothing if nothing is near.
pub fn did_you_mean(name: &str, candidates: &[&str]) -> Option<String> {
    match near(name, candidates.iter().copied()).as_slice() {
        [] => None,
        names => Some(format!("did you mean {}?", join_or(names))),
    }
}

/// `a`, `a or b`, `a, b or c`.
pub(crate) fn join_or(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_come_first_and_far_ones_not_at_all() {
        let names = ["clients", "think", "kind", "rate"];
        assert_eq!(near("cleints", names), ["clients"]);
        assert_eq!(near("xyzzy", names), [""; 0]);
        assert_eq!(did_you_mean("thinks", &names).as_deref(), Some("did you mean think?"));
    }
}
