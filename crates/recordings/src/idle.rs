//! The rest before a load and after it, where nothing but the server's counters tells when it began and ended.

use crate::Series;

/// Counters that tell whether the server worked, best first.
pub(crate) const WORK: [&str; 6] =
    ["m.trx_rw_commits", "Com_commit", "Innodb_rows_updated", "m.log_lsn_current", "Innodb_lsn_current", "Questions"];
/// Below this share of its median a server's work is the rest before a load, or after it.
const IDLE: f64 = 0.02;
/// Fewest steps of such rest that are cut off.
const IDLE_STEPS: usize = 2;

/// Leaves out what was counted before the load began, where nothing else tells when it did.
pub(crate) fn cut_before_load(series: &mut Series) -> Option<String> {
    let (begun, _) = worked(series)?;
    let idle = Some(begun - 1).filter(|idle| is_rest(*idle, series))?;
    let rest_s = series.seconds[idle] - series.seconds[0];
    series.seconds.drain(..idle);
    series.columns.values_mut().for_each(|values| drop(values.drain(..idle)));
    Some(format!("the server hardly worked in the first {rest_s:.0} s, which are left out: the load began then"))
}

/// The same of what was counted after the load ended.
pub(crate) fn cut_after_load(series: &mut Series) -> Option<String> {
    let (_, ended) = worked(series)?;
    let last = series.len() - 1;
    let rest_s = Some(last - ended)
        .filter(|rest| is_rest(*rest, series))
        .map(|_| series.seconds[last] - series.seconds[ended])?;
    series.seconds.truncate(ended + 1);
    series.columns.values_mut().for_each(|values| values.truncate(ended + 1));
    Some(format!("the server hardly worked in the last {rest_s:.0} s, which are left out: the load had ended"))
}

fn is_rest(steps: usize, series: &Series) -> bool {
    steps >= IDLE_STEPS && 2 * steps <= series.len()
}

/// The first and the last sample up to which the server worked since the one before.
fn worked(series: &Series) -> Option<(usize, usize)> {
    // Statements that commit by themselves leave Com_commit as it is.
    let (work, median) = WORK.iter().find_map(|name| {
        let work = series.column(name)?.rates(&series.seconds);
        let mut sorted: Vec<f64> = work.present().collect();
        sorted.sort_by(f64::total_cmp);
        let median = sorted.get(sorted.len() / 2).copied().filter(|median| *median > 0.0)?;
        Some((work, median))
    })?;
    let mut busy = work.placed().filter(|(_, rate)| *rate > IDLE * median).map(|(sample, _)| sample);
    let begun = busy.next()?;
    Some((begun, busy.next_back().unwrap_or(begun)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A counter each second of a load of 100 s that begins after `before` and is followed by `after`.
    fn series(before: u32, after: u32) -> Series {
        let seconds: Vec<f64> = (0..=before + 100 + after).map(f64::from).collect();
        let work = |second: &f64| 10.0 * (second - f64::from(before)).clamp(0.0, 100.0);
        let columns = [("Com_commit".to_owned(), seconds.iter().map(work).collect())];
        Series { seconds, columns: columns.into(), ..Series::default() }
    }

    fn ends(series: &Series) -> (f64, f64) {
        (series.seconds[0], *series.seconds.last().unwrap())
    }

    #[test]
    fn what_was_counted_before_and_after_a_load_is_left_out() {
        let mut both = series(10, 30);
        let remarks = [cut_after_load(&mut both).unwrap(), cut_before_load(&mut both).unwrap()];
        assert_eq!((ends(&both), both.columns["Com_commit"].len()), ((10.0, 110.0), 101));
        assert!(remarks[0].contains("last 30 s") && remarks[1].contains("first 10 s"), "{remarks:?}");
    }

    /// Under statements that commit by themselves Com_commit stands still.
    #[test]
    fn a_counter_that_stands_still_counts_no_work() {
        let mut both = series(10, 30);
        let work = both.columns.remove("Com_commit").unwrap();
        both.columns.insert("Com_commit".to_owned(), vec![7.0; work.len()]);
        both.columns.insert("Innodb_lsn_current".to_owned(), work);
        assert!(cut_after_load(&mut both).is_some() && cut_before_load(&mut both).is_some());
        assert_eq!(ends(&both), (10.0, 110.0));
    }

    #[test]
    fn a_single_step_and_a_server_that_mostly_rests_are_left_as_they_are() {
        for (before, after) in [(0, 0), (1, 1), (200, 300)] {
            let mut untouched = series(before, after);
            let remarks = [cut_before_load(&mut untouched), cut_after_load(&mut untouched)];
            assert_eq!((remarks, untouched), ([None, None], series(before, after)), "{before}, {after}");
        }
    }
}
