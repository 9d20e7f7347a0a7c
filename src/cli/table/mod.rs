//! Tables for other programs: CSV, JSON with an object on each line, or Parquet. Rows are written as they come, and the
//! file takes its place when it is whole.

mod cell;
#[cfg(feature = "parquet")]
mod parquet;

pub use cell::{Cell, Kind};

use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

use lawspeaker::library::Unusable;
use lawspeaker::writing::{Parts, Place, Policy};
use serde_json::Value as Json;

use crate::cli::Stop;

/// How a table is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Csv,
    Json,
    Parquet,
}

impl Format {
    /// By the ending of the name of a file.
    fn of(file: &Path) -> Result<Format, Unusable> {
        let ending = file.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase();
        match ending.as_str() {
            "csv" => Ok(Format::Csv),
            "json" | "jsonl" | "ndjson" => Ok(Format::Json),
            "parquet" => Ok(Format::Parquet),
            _ => {
                let message = format!("{} does not say how the table is to be written", file.display());
                Err(Unusable::new(message, "end its name with .csv, .json (an object on each line) or .parquet"))
            }
        }
    }
}

/// Checks that a table can be written to a file, before there are rows.
///
/// # Errors
/// As for [`Table::begin`].
pub fn check(file: &Path, force: bool) -> Result<(), Stop> {
    let format = Format::of(file)?;
    if format == Format::Parquet && !cfg!(feature = "parquet") {
        let help = "write .csv or .json, or build the program with `--features parquet`";
        return Err(Unusable::new("this program was built without Parquet", help).into());
    }
    Place::new(file, Policy::forced(force))?;
    Ok(())
}

/// A table that is being written.
pub struct Table {
    file: PathBuf,
    columns: Vec<(String, Kind)>,
    out: Out,
}

enum Out {
    Csv(Box<csv::Writer<Parts>>),
    Json(BufWriter<Parts>),
    #[cfg(feature = "parquet")]
    Parquet(parquet::Rows),
}

impl Table {
    /// Begins a table. Two columns of one name are told apart by a number.
    ///
    /// # Errors
    /// The file is not to be overwritten, cannot be written, or does not say how.
    pub fn begin(file: &Path, force: bool, columns: Vec<(String, Kind)>) -> Result<Table, Stop> {
        check(file, force)?;
        let format = Format::of(file)?;
        let columns = told_apart(columns);
        let parts = || -> Result<Parts, Stop> { Ok(Place::new(file, Policy::forced(force))?.hold()?.in_parts()?) };
        let mut table = match format {
            Format::Csv => Out::Csv(Box::new(csv::Writer::from_writer(parts()?))),
            Format::Json => Out::Json(BufWriter::new(parts()?)),
            #[cfg(feature = "parquet")]
            Format::Parquet => Out::Parquet(parquet::Rows::begin(parts()?, &columns).map_err(failed(file))?),
            // It was refused above.
            #[cfg(not(feature = "parquet"))]
            Format::Parquet => Out::Json(BufWriter::new(parts()?)),
        };
        if let Out::Csv(out) = &mut table {
            out.write_record(columns.iter().map(|(name, _)| name)).map_err(|e| failed(file)(e.into()))?;
        }
        Ok(Table { file: file.to_owned(), columns, out: table })
    }

    /// Writes a row: a cell for each column.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn row(&mut self, cells: &[Cell]) -> Result<(), Stop> {
        let written = match &mut self.out {
            Out::Csv(out) => out.write_record(cells.iter().map(Cell::csv)).map_err(std::io::Error::from),
            Out::Json(out) => writeln!(out, "{}", object(&self.columns, cells)),
            #[cfg(feature = "parquet")]
            Out::Parquet(out) => out.row(cells),
        };
        written.map_err(failed(&self.file))
    }

    /// Ends the table, which takes its place.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn finish(self) -> Result<(), Stop> {
        let failed = failed(&self.file);
        let parts = match self.out {
            Out::Csv(out) => out.into_inner().map_err(|e| failed(e.into_error()))?,
            Out::Json(out) => out.into_inner().map_err(|e| failed(e.into_error()))?,
            #[cfg(feature = "parquet")]
            Out::Parquet(out) => out.finish().map_err(failed)?,
        };
        Ok(parts.finish()?)
    }
}

fn failed(file: &Path) -> impl Fn(std::io::Error) -> Stop {
    move |e| Unusable::new(format!("cannot write {}: {e}", file.display()), "").into()
}

/// The columns, with a number behind a name that came before.
fn told_apart(columns: Vec<(String, Kind)>) -> Vec<(String, Kind)> {
    let mut apart: Vec<(String, Kind)> = Vec::new();
    for (name, kind) in columns {
        let numbered = (2..).map(|n| format!("{name}_{n}"));
        let mut names = std::iter::once(name.clone()).chain(numbered);
        let free = names.find(|name| apart.iter().all(|(other, _)| other != name));
        apart.push((free.unwrap_or(name), kind));
    }
    apart
}

/// A row as an object, its keys in the order of the columns.
fn object(columns: &[(String, Kind)], cells: &[Cell]) -> String {
    let pair = |((name, _), cell): (&(String, Kind), &Cell)| format!("{}:{}", Json::from(name.as_str()), cell.json());
    let pairs: Vec<String> = columns.iter().zip(cells).map(pair).collect();
    format!("{{{}}}", pairs.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_of_one_name_are_told_apart() {
        let columns = ["a", "b", "a", "a_2", "a"].map(|name| (String::from(name), Kind::Text));
        let names: Vec<String> = told_apart(columns.to_vec()).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["a", "b", "a_2", "a_2_2", "a_3"]);
    }

    #[test]
    fn the_ending_says_how() {
        assert_eq!(Format::of(Path::new("a/b.CSV")).ok(), Some(Format::Csv));
        assert_eq!(Format::of(Path::new("b.jsonl")).ok(), Some(Format::Json));
        assert_eq!(Format::of(Path::new("b.parquet")).ok(), Some(Format::Parquet));
        assert!(Format::of(Path::new("b.txt")).is_err() && Format::of(Path::new("csv")).is_err());
    }

    #[test]
    fn an_object_keeps_the_order_of_the_columns() {
        let columns = [("b", Kind::Number), ("a", Kind::Text)].map(|(name, kind)| (String::from(name), kind));
        assert_eq!(object(&columns, &[Cell::Number(3), Cell::text("say \"x\"")]), r#"{"b":3,"a":"say \"x\""}"#);
        assert_eq!(object(&columns, &[Cell::Nothing, Cell::text("")]), r#"{"b":null,"a":null}"#);
    }
}
