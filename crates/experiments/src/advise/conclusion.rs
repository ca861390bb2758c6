//! What comes of a search for one server: advice, advice with a caution, or none.

use crate::recommend::{Answer, Cause, Refusal, Verdict};

/// Why nothing is advised, and what to be cautious of if something is.
pub(super) fn conclude(answer: &Answer, worlds_left_out: &[String]) -> (Option<String>, Option<String>) {
    let changes = answer.best.point != answer.current.point;
    let (refused, caution) = match &answer.verdict {
        // An input that is roughly known refuses an answer elsewhere; here its range is searched, and told with it.
        Verdict::Refused(Refusal { cause: Cause::Uncertain | Cause::TooShort, why }) if answer.best.is_answer => {
            (None, Some(why.clone()))
        }
        Verdict::Refused(refusal) => (Some(refusal.why.clone()), None),
        Verdict::Try | Verdict::Keep(_) => (None, None),
    };
    if refused.is_none() && changes && !worlds_left_out.is_empty() {
        let why = format!(
            "the time was over before {} = {}, the best so far, was compared with what the recording leaves open",
            answer.space.searched(),
            answer.best.point.io_capacity_max
        );
        return (Some(why), caution);
    }
    (refused, caution)
}

#[cfg(test)]
mod tests {
    use super::super::alike::tests::ask;
    use super::*;

    /// An answer that has found another setting, with this verdict.
    fn answer(verdict: Verdict) -> Answer {
        let mut answer = ask(0.0, false);
        let better = answer.candidates.iter().find(|row| row.point != answer.current.point).unwrap().clone();
        answer.best = better;
        answer.best.is_answer = true;
        Answer { verdict, ..answer }
    }

    fn refused(cause: Cause) -> Verdict {
        Verdict::Refused(Refusal { cause, why: "why".to_owned() })
    }

    #[test]
    fn what_was_not_checked_for_want_of_time_is_not_advised() {
        let none: [String; 0] = [];
        let (why, caution) = conclude(&answer(refused(Cause::OutOfTime)), &none);
        assert_eq!((why.as_deref(), caution), (Some("why"), None));
        assert_eq!(conclude(&answer(Verdict::Try), &none), (None, None));
        let left_out = ["device nvme".to_owned()];
        let (why, _) = conclude(&answer(Verdict::Try), &left_out);
        assert!(why.is_some_and(|why| why.contains("the time was over")));
        let mut kept = answer(Verdict::Keep(String::new()));
        kept.best = kept.current.clone();
        assert_eq!(conclude(&kept, &left_out), (None, None));
    }

    #[test]
    fn an_input_that_would_turn_the_answer_is_a_caution() {
        let caution = |cause| conclude(&answer(refused(cause)), &[]);
        assert_eq!(caution(Cause::Uncertain), (None, Some("why".to_owned())));
        assert_eq!(caution(Cause::TooShort), (None, Some("why".to_owned())));
        let mut without = answer(refused(Cause::Uncertain));
        without.best.is_answer = false;
        assert_eq!(conclude(&without, &[]).0.as_deref(), Some("why"));
    }
}
