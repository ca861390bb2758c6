//! Finds a quantity among the columns of a recording.

use crate::{Column, Missing, Quantity, Recording};

/// Share of the fullest column's values from which on a column before it is taken.
const NEARLY_ALL: f64 = 0.8;

impl Recording {
    /// The series of a quantity, if any of its columns was recorded: the first of those that have nearly as many values
    /// as the fullest. A status that was printed twice does not hide a counter that was read each second.
    pub fn get(&self, quantity: Quantity) -> Option<Column> {
        let columns: Vec<(usize, Column)> = quantity
            .columns()
            .iter()
            .filter_map(|name| self.series.column(name))
            .map(|column| (column.present().count(), column))
            .collect();
        let fullest = columns.iter().map(|(count, _)| *count).max()?;
        columns.into_iter().find(|(count, _)| *count as f64 >= NEARLY_ALL * fullest as f64).map(|(_, values)| values)
    }

    /// The checkpoint age, where both of its ends were recorded.
    pub fn checkpoint_age(&self) -> Option<Column> {
        let (lsn, checkpoint) = (self.get(Quantity::Lsn)?, self.get(Quantity::CheckpointLsn)?);
        Some(lsn.with(&checkpoint, |lsn, checkpoint| lsn - checkpoint))
    }

    /// The series of a quantity that `purpose` can't do without.
    pub fn quantity(&self, quantity: Quantity, purpose: &str) -> Result<Column, Missing> {
        self.get(quantity).ok_or_else(|| Missing {
            recording: self.name.clone(),
            what: quantity.what().to_owned(),
            purpose: purpose.to_owned(),
            help: quantity.where_to_find(),
        })
    }
}
