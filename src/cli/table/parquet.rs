//! Tables as Parquet: rows are gathered in groups, and each group is written column by column.

use std::io;
use std::sync::Arc;

use lawspeaker::writing::Parts;
use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::Type;

use super::{Cell, Kind};

/// The rows of a group. They are kept until it is full.
const GROUP: usize = 1 << 14;

/// A table that is being written.
pub struct Rows {
    writer: SerializedFileWriter<Parts>,
    kinds: Vec<Kind>,
    /// The rows of the group that is not full yet.
    group: Vec<Vec<Cell>>,
}

fn io(error: ParquetError) -> io::Error {
    io::Error::other(error)
}

impl Rows {
    /// Begins a table with these columns, each of which may have nothing in a row.
    pub fn begin(out: Parts, columns: &[(String, Kind)]) -> io::Result<Rows> {
        let fields = columns.iter().map(|(name, kind)| field(name, *kind).map(Arc::new));
        let fields = fields.collect::<Result<Vec<_>, _>>().map_err(io)?;
        let schema = Type::group_type_builder("table").with_fields(fields).build().map_err(io)?;
        let properties = Arc::new(WriterProperties::builder().build());
        let writer = SerializedFileWriter::new(out, Arc::new(schema), properties).map_err(io)?;
        Ok(Rows { writer, kinds: columns.iter().map(|(_, kind)| *kind).collect(), group: Vec::new() })
    }

    /// Writes a row.
    pub fn row(&mut self, cells: &[Cell]) -> io::Result<()> {
        self.group.push(cells.to_vec());
        if self.group.len() < GROUP { Ok(()) } else { self.write() }
    }

    /// Ends the table.
    pub fn finish(mut self) -> io::Result<Parts> {
        self.write()?;
        self.writer.into_inner().map_err(io)
    }

    /// Writes the rows that are gathered, as a group.
    fn write(&mut self) -> io::Result<()> {
        if self.group.is_empty() {
            return Ok(());
        }
        let mut group = self.writer.next_row_group().map_err(io)?;
        for (i, kind) in self.kinds.iter().enumerate() {
            let Some(mut column) = group.next_column().map_err(io)? else { break };
            let cells = self.group.iter().map(|row| row.get(i).unwrap_or(&Cell::Nothing));
            let written = match kind {
                Kind::Number => put::<Int64Type>(&mut column, cells, |cell| match cell {
                    Cell::Number(n) => Some(n.cast_signed()),
                    _ => None,
                }),
                Kind::Real => put::<DoubleType>(&mut column, cells, |cell| match cell {
                    Cell::Real(x) => Some(*x),
                    _ => None,
                }),
                Kind::Truth => put::<BoolType>(&mut column, cells, |cell| match cell {
                    Cell::Truth(truth) => Some(*truth),
                    _ => None,
                }),
                Kind::Text => put::<ByteArrayType>(&mut column, cells, |cell| match cell {
                    Cell::Text(text) => Some(ByteArray::from(text.as_str())),
                    _ => None,
                }),
            };
            written.and_then(|()| column.close()).map_err(io)?;
        }
        group.close().map_err(io)?;
        self.group.clear();
        Ok(())
    }
}

fn field(name: &str, kind: Kind) -> Result<Type, ParquetError> {
    let (physical, logical) = match kind {
        Kind::Number => (Physical::INT64, Some(LogicalType::integer(64, false))),
        Kind::Real => (Physical::DOUBLE, None),
        Kind::Truth => (Physical::BOOLEAN, None),
        Kind::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
    };
    let field = Type::primitive_type_builder(name, physical).with_repetition(Repetition::OPTIONAL);
    field.with_logical_type(logical).build()
}

/// Writes a column: the values that there are, and where they are.
fn put<'a, T: DataType>(
    column: &mut SerializedColumnWriter<'_>,
    cells: impl Iterator<Item = &'a Cell>,
    value: impl Fn(&Cell) -> Option<T::T>,
) -> Result<(), ParquetError> {
    let values: Vec<Option<T::T>> = cells.map(value).collect();
    let there: Vec<i16> = values.iter().map(|value| i16::from(value.is_some())).collect();
    let values: Vec<T::T> = values.into_iter().flatten().collect();
    column.typed::<T>().write_batch(&values, Some(&there), None).map(|_| ())
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use parquet::file::reader::{FileReader as _, SerializedFileReader};
    use parquet::record::Field;

    use super::*;
    use crate::cli::table::Table;

    /// A row in which each third has nothing.
    fn row(n: u64) -> [Cell; 4] {
        match n % 3 {
            0 => [Cell::Nothing, Cell::Nothing, Cell::Nothing, Cell::Nothing],
            _ => [
                Cell::Number(u64::MAX - n),
                Cell::Real(n as f64 / 3.0),
                Cell::Truth(n % 2 == 0),
                Cell::text(&format!("\"{n}\", 終局")),
            ],
        }
    }

    fn read_back(cell: &Cell) -> Field {
        match cell {
            Cell::Number(n) => Field::ULong(*n),
            Cell::Real(x) => Field::Double(*x),
            Cell::Truth(truth) => Field::Bool(*truth),
            Cell::Text(text) => Field::Str(text.clone()),
            Cell::Nothing => Field::Null,
        }
    }

    #[test]
    fn a_table_is_read_back_as_it_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("games.parquet");
        let columns = [("game", Kind::Number), ("mean", Kind::Real), ("won", Kind::Truth), ("ending", Kind::Text)];
        let columns = columns.map(|(name, kind)| (String::from(name), kind));
        let rows = GROUP as u64 + 7;
        let mut table = Table::begin(&file, false, columns.to_vec()).ok().unwrap();
        (0..rows).for_each(|n| table.row(&row(n)).ok().unwrap());
        table.finish().ok().unwrap();
        let reader = SerializedFileReader::new(File::open(&file).unwrap()).unwrap();
        assert_eq!(reader.num_row_groups(), 2);
        let mut read = 0;
        for (n, found) in (0..rows).zip(reader.get_row_iter(None).unwrap()) {
            let found = found.unwrap();
            let fields: Vec<(&str, &Field)> = found.get_column_iter().map(|(name, f)| (name.as_str(), f)).collect();
            let wanted = row(n).each_ref().map(read_back);
            let wanted: Vec<(&str, &Field)> = columns.iter().map(|(name, _)| name.as_str()).zip(&wanted).collect();
            assert_eq!(fields, wanted);
            read += 1;
        }
        assert_eq!(read, rows);
    }
}
