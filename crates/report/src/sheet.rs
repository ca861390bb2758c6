//! A tidy table: a column a variable, a row an observation. What `runs.csv` and `runs.parquet` have in common.

use crate::files::ReportError;
use crate::numbers::compact;

/// A value in a table.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Cell {
    Text(String),
    Whole(i64),
    Number(f64),
    Flag(bool),
    /// There is no value.
    Missing,
}

impl Cell {
    /// A setting's value: a number if it is written as one.
    pub(crate) fn of_setting(text: &str) -> Cell {
        text.parse().map_or_else(|_| Cell::Text(text.to_owned()), Cell::Whole)
    }

    pub(crate) fn csv(&self) -> String {
        match self {
            Cell::Text(text) => text.clone(),
            Cell::Whole(number) => number.to_string(),
            Cell::Number(number) if number.is_nan() => String::new(),
            Cell::Number(number) => compact(*number),
            Cell::Flag(flag) => flag.to_string(),
            Cell::Missing => String::new(),
        }
    }
}

/// A table.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Sheet {
    pub(crate) heads: Vec<String>,
    /// Each as long as the heads.
    pub(crate) rows: Vec<Vec<Cell>>,
}

impl Sheet {
    /// As CSV, with the heads in the first line.
    pub(crate) fn csv(&self) -> Result<Vec<u8>, ReportError> {
        let mut writer = ::csv::Writer::from_writer(Vec::new());
        writer.write_record(&self.heads)?;
        for row in &self.rows {
            writer.write_record(row.iter().map(Cell::csv))?;
        }
        writer.into_inner().map_err(|error| ReportError::Csv(error.into_error().into()))
    }
}
