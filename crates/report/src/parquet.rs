//! A table as Parquet, for notebooks and query engines: the columns of the CSV file, with types.
//!
//! A column is of whole numbers, numbers, flags or text, by what is in it; a value that is not there is null. Numbers
//! have all their digits, which the CSV file rounds. One row group, no compression, no time of writing: the same table
//! gives the same bytes.

use crate::files::{ReportError, write_file};
use crate::sheet::{Cell, Sheet};
use crate::sweep::{SweepTable, points_sheet, runs_sheet};
use ::parquet::basic::{LogicalType, Repetition, Type as Physical};
use ::parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use ::parquet::errors::ParquetError;
use ::parquet::file::properties::WriterProperties;
use ::parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use ::parquet::schema::types::Type;
use std::path::Path;
use std::sync::Arc;

/// Writes `runs.parquet` and `points.parquet` into the folder `dir`.
pub fn write_parquet(dir: &Path, table: &SweepTable<'_>) -> Result<(), ReportError> {
    for (name, sheet) in [("points.parquet", points_sheet(table)), ("runs.parquet", runs_sheet(table))] {
        let bytes = bytes(&sheet).map_err(|error| ReportError::Parquet(error.to_string()))?;
        write_file(&dir.join(name), &bytes)?;
    }
    Ok(())
}

/// What is in a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Flags,
    Whole,
    Numbers,
    Text,
}

impl Kind {
    /// The narrowest that holds all cells; numbers if there is none.
    fn of<'a>(cells: impl Iterator<Item = &'a Cell>) -> Kind {
        let kinds = cells.filter_map(|cell| match cell {
            Cell::Text(_) => Some(Kind::Text),
            Cell::Whole(_) => Some(Kind::Whole),
            Cell::Number(_) => Some(Kind::Numbers),
            Cell::Flag(_) => Some(Kind::Flags),
            Cell::Missing => None,
        });
        let wider = |a, b| match (a, b) {
            _ if a == b => a,
            (Kind::Whole, Kind::Numbers) | (Kind::Numbers, Kind::Whole) => Kind::Numbers,
            _ => Kind::Text,
        };
        kinds.reduce(wider).unwrap_or(Kind::Numbers)
    }

    fn field(self, name: &str) -> Result<Arc<Type>, ParquetError> {
        let (physical, logical) = match self {
            Kind::Flags => (Physical::BOOLEAN, None),
            Kind::Whole => (Physical::INT64, None),
            Kind::Numbers => (Physical::DOUBLE, None),
            Kind::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        };
        let field = Type::primitive_type_builder(name, physical).with_repetition(Repetition::OPTIONAL);
        field.with_logical_type(logical).build().map(Arc::new)
    }
}

fn bytes(sheet: &Sheet) -> Result<Vec<u8>, ParquetError> {
    let column = |i: usize| sheet.rows.iter().map(move |row| &row[i]);
    let kinds: Vec<Kind> = (0..sheet.heads.len()).map(|i| Kind::of(column(i))).collect();
    let fields: Result<Vec<Arc<Type>>, ParquetError> =
        sheet.heads.iter().zip(&kinds).map(|(name, kind)| kind.field(name)).collect();
    let schema = Arc::new(Type::group_type_builder("runs").with_fields(fields?).build()?);
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, Arc::new(WriterProperties::new()))?;
    let mut group = writer.next_row_group()?;
    for (i, kind) in kinds.iter().enumerate() {
        match kind {
            Kind::Flags => write::<BoolType>(&mut group, column(i), |cell| match cell {
                Cell::Flag(flag) => Some(*flag),
                _ => None,
            })?,
            Kind::Whole => write::<Int64Type>(&mut group, column(i), |cell| match cell {
                Cell::Whole(number) => Some(*number),
                _ => None,
            })?,
            Kind::Numbers => write::<DoubleType>(&mut group, column(i), |cell| match cell {
                Cell::Number(number) => Some(*number).filter(|number| !number.is_nan()),
                Cell::Whole(number) => Some(*number as f64),
                _ => None,
            })?,
            Kind::Text => write::<ByteArrayType>(&mut group, column(i), |cell| match cell {
                Cell::Missing => None,
                other => Some(ByteArray::from(other.csv().into_bytes())),
            })?,
        }
    }
    group.close()?;
    writer.into_inner()
}

/// Writes a column: values that are there, and for each row whether it is.
fn write<'a, T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, Vec<u8>>,
    cells: impl Iterator<Item = &'a Cell>,
    value: impl Fn(&Cell) -> Option<T::T>,
) -> Result<(), ParquetError> {
    let values: Vec<Option<T::T>> = cells.map(value).collect();
    let there: Vec<i16> = values.iter().map(|value| i16::from(value.is_some())).collect();
    let values: Vec<T::T> = values.into_iter().flatten().collect();
    let Some(mut column) = group.next_column()? else { return Ok(()) };
    column.typed::<T>().write_batch(&values, Some(&there), None)?;
    column.close()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::parquet::file::reader::{FileReader, SerializedFileReader};
    use ::parquet::record::Field;

    /// Columns of every kind, with values missing.
    fn sheet() -> Sheet {
        let text = |text: &str| Cell::Text(text.to_owned());
        Sheet {
            heads: ["scenario", "point", "tps", "flag", "mixed", "setting", "nothing"].map(str::to_owned).to_vec(),
            rows: vec![
                vec![
                    text("redo, \"small\""),
                    Cell::Whole(1),
                    Cell::Number(1.0 / 3.0),
                    Cell::Flag(true),
                    Cell::Whole(7),
                    text("ON"),
                    Cell::Missing,
                ],
                vec![
                    text("b"),
                    Cell::Whole(i64::MAX),
                    Cell::Missing,
                    Cell::Missing,
                    Cell::Number(0.5),
                    Cell::Whole(3),
                    Cell::Missing,
                ],
            ],
        }
    }

    fn reader_of(sheet: &Sheet) -> SerializedFileReader<std::fs::File> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("runs.parquet");
        write_file(&path, &bytes(sheet).unwrap()).unwrap();
        SerializedFileReader::new(std::fs::File::open(path).unwrap()).unwrap()
    }

    #[test]
    fn what_is_written_is_read() {
        let sheet = sheet();
        assert_eq!(bytes(&sheet).unwrap(), bytes(&sheet).unwrap());
        let reader = reader_of(&sheet);
        let rows: Vec<Vec<(String, Field)>> =
            reader.get_row_iter(None).unwrap().map(|row| row.unwrap().into_columns()).collect();
        let names: Vec<&str> = rows[0].iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, sheet.heads);
        let fields = |row: usize| rows[row].iter().map(|(_, field)| field.clone()).collect::<Vec<Field>>();
        let text = |text: &str| Field::Str(text.to_owned());
        assert_eq!(
            fields(0),
            [
                text("redo, \"small\""),
                Field::Long(1),
                Field::Double(1.0 / 3.0),
                Field::Bool(true),
                Field::Double(7.0),
                text("ON"),
                Field::Null
            ]
        );
        assert_eq!(
            fields(1),
            [text("b"), Field::Long(i64::MAX), Field::Null, Field::Null, Field::Double(0.5), text("3"), Field::Null]
        );
    }

    #[test]
    fn an_empty_table_has_its_columns() {
        let reader = reader_of(&Sheet { rows: Vec::new(), ..sheet() });
        let metadata = reader.metadata().file_metadata();
        assert_eq!((metadata.num_rows(), metadata.schema().get_fields().len()), (0, 7));
    }
}
