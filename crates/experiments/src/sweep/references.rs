//! Which points of a sweep share what the coarse tier's windows tell, and for which of them windows are made: see [`flows`](super::flows).

use super::dimension::Dimension;
use crate::warm_start::is_taken;
use innosim_flush_models::registry::normal_name;
use std::collections::HashMap;

/// Settings that points of a group may differ in besides those that a server at work takes.
const SIZES: [&str; 3] = ["innodb_redo_log_capacity", "innodb_log_file_size", "innodb_log_files_in_group"];
/// Points of a group that are references besides its corners, at most.
const SPREAD: usize = 40;

/// Whether runs that differ in this setting alone share what windows tell.
fn is_shared(name: &str) -> bool {
    is_taken(name) || SIZES.contains(&name)
}

/// Points by group, and the references of each group as points.
#[derive(Debug, Clone, Default)]
pub(super) struct FlowGroups {
    /// Group of each point.
    pub(super) group_of: Vec<usize>,
    /// References of each group, in the order in which their windows are made.
    pub(super) references: Vec<Vec<usize>>,
}

impl FlowGroups {
    /// Of all `points`, each by its place in the values of each dimension.
    pub(super) fn new(dimensions: &[Dimension], points: &[&[usize]]) -> FlowGroups {
        let shared: Vec<bool> =
            dimensions.iter().map(|d| d.settings.iter().all(|name| is_shared(&normal_name(name)))).collect();
        let others = |point: &[usize]| -> Vec<usize> {
            point.iter().zip(&shared).filter(|(_, shared)| !**shared).map(|(at, _)| *at).collect()
        };
        let mut members: Vec<Vec<usize>> = Vec::new();
        let mut keys: HashMap<Vec<usize>, usize> = HashMap::new();
        let mut group_of = Vec::new();
        for (number, point) in points.iter().enumerate() {
            let group = *keys.entry(others(point)).or_insert(members.len());
            if group == members.len() {
                members.push(Vec::new());
            }
            members[group].push(number);
            group_of.push(group);
        }
        let ranks = ranks(dimensions, &shared);
        let references = members.iter().map(|members| references(&ranks, points, members)).collect();
        FlowGroups { group_of, references }
    }
}

/// For each value of each dimension that is shared its rank, from the smallest; names rank as they are given.
fn ranks(dimensions: &[Dimension], shared: &[bool]) -> Vec<Option<Vec<usize>>> {
    let ranks = |dimension: &Dimension| {
        let mut places: Vec<usize> = (0..dimension.values.len()).collect();
        if let Some(numbers) = dimension.numbers() {
            places.sort_by(|&a, &b| numbers[a].total_cmp(&numbers[b]));
        }
        let mut ranks = vec![0; places.len()];
        places.iter().enumerate().for_each(|(rank, &place)| ranks[place] = rank);
        ranks
    };
    dimensions.iter().zip(shared).map(|(dimension, shared)| shared.then(|| ranks(dimension))).collect()
}

/// The references of a group.
fn references(ranks: &[Option<Vec<usize>>], points: &[&[usize]], members: &[usize]) -> Vec<usize> {
    // How many dimensions are not at their largest value, and whether they are at their smallest.
    let lows = |member: &usize| {
        let at = points[*member]
            .iter()
            .zip(ranks)
            .filter_map(|(at, ranks)| Some((ranks.as_ref()?[*at], ranks.as_ref()?.len())));
        let below: Vec<usize> = at.filter(|(rank, all)| rank + 1 < *all).map(|(rank, _)| rank).collect();
        below.iter().all(|rank| *rank == 0).then_some(below.len())
    };
    let most = ranks.iter().flatten().filter(|ranks| ranks.len() > 1).count();
    let corner = |wanted: usize| members.iter().copied().filter(move |member| lows(member) == Some(wanted));
    let others = SPREAD.min(members.len());
    let spread = (0..others).map(|i| members[i * members.len() / others]);
    let mut references: Vec<usize> = Vec::new();
    for member in corner(0).chain(corner(1)).chain(corner(most)).chain(spread) {
        if !references.contains(&member) {
            references.push(member);
        }
    }
    references
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sweep::{Request, SweepTier};

    fn prepared(vary: &[&str], tier: SweepTier) -> crate::sweep::Prepared {
        let vary = vary.iter().map(|text| (*text).to_owned()).collect();
        Request { scenario: "7000-bpi32".to_owned(), vary, tier, ..Request::default() }.prepare().unwrap()
    }

    #[test]
    fn points_that_differ_in_flushing_alone_are_a_group() {
        let vary = ["innodb_io_capacity_max=9000,5000,7000", "drive.clients=8,16", "innodb_log_file_size=5G,10G"];
        let FlowGroups { group_of, references } = prepared(&vary, SweepTier::Flow).flow_groups;
        assert_eq!(group_of, [0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1]);
        // 9000 with 10G, then 9000 with 5G and 5000 with 10G, then 5000 with 5G, and all others.
        assert_eq!(references, [[1, 0, 5, 4, 8, 9], [3, 2, 7, 6, 10, 11]]);
    }

    #[test]
    fn references_are_corners_and_a_few_others() {
        let many =
            prepared(&["innodb_adaptive_flushing_lwm=0..70:1", "innodb_io_capacity_max=8000,9000"], SweepTier::Flow);
        let references = &many.flow_groups.references[0];
        assert_eq!(references[..4], [141, 1, 140, 0]);
        assert!((SPREAD..SPREAD + 4).contains(&references.len()), "{}", references.len());
    }

    #[test]
    fn a_run_is_known_by_its_references_too() {
        let plan = |vary: &str, tier| prepared(&[vary], tier).plan;
        let exact = plan("innodb_io_capacity_max=8000,9000", SweepTier::Exact);
        let flow = plan("innodb_io_capacity_max=8000,9000", SweepTier::Flow);
        let other = plan("innodb_io_capacity_max=8000,9500", SweepTier::Flow);
        let both = plan("innodb_io_capacity_max=8000,9000", SweepTier::Both);
        assert_ne!(exact.run_id(0, 0), flow.run_id(0, 0));
        assert_ne!(flow.run_id(0, 0), other.run_id(0, 0));
        let ids: Vec<_> = both.run_ids(0, 0).collect();
        assert_eq!(ids, [(flow.run_id(0, 0), true), (exact.run_id(0, 0), false)]);
        assert_eq!(flow.exact_run_id(0, 0), None);
    }
}
