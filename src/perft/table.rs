//! Tables of known counts of a game, one on a line.

use super::MAX_PERFT_DEPTH;
use crate::facts::FactFault;

/// The file in a game's folder that has its table.
pub const FILE: &str = "perft.tsv";

/// The position that is the start of the game; any other is a file in the folder `positions`.
pub const START: &str = "start";

/// The columns.
const HEADER: &str = "position\tdepth\tpositions";

/// A count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// [`START`], or the name of a position.
    pub position: String,
    /// How many plies ahead.
    pub depth: u32,
    /// How many positions lie there.
    pub positions: u64,
    /// Line, from 1.
    pub line: usize,
}

impl Row {
    /// The possible paths of its position in the game's folder, of which the first that exists is used; empty for the
    /// start.
    #[must_use]
    pub fn files(&self) -> Option<[String; 2]> {
        let name = &self.position;
        (name != START).then(|| [format!("positions/{name}.position"), format!("positions/{name}")])
    }
}

/// The rows of a table. Its first line is `position`, `depth` and `positions` with tabs between; lines that are empty
/// or begin with `//` are skipped.
///
/// # Errors
/// The first line with an error.
pub fn table(text: &str) -> Result<Vec<Row>, FactFault> {
    let mut lines = text.lines().enumerate().filter(|(_, l)| !l.trim().is_empty() && !l.starts_with("//"));
    let (first, header) = lines.next().unwrap_or((0, ""));
    if header.trim_end() != HEADER {
        let message = "a table of counts begins with `position`, `depth`, `positions`, with tabs between";
        return Err(FactFault::new(first + 1, 1, message));
    }
    lines.map(|(i, line)| row(line, i + 1)).collect()
}

fn row(text: &str, line: usize) -> Result<Row, FactFault> {
    let cells: Vec<&str> = text.split('\t').map(str::trim).collect();
    let column = |cell: usize| 1 + text.split('\t').take(cell).map(|c| c.chars().count() + 1).sum::<usize>();
    let [position, depth, positions] = cells[..] else {
        let message =
            format!("a line has a position, a depth and a count, with tabs between; here are {}", cells.len());
        return Err(FactFault::new(line, 1, message));
    };
    let number = |cell: usize, text: &str| {
        let what = if cell == 1 { "a depth" } else { "a count" };
        text.parse::<u64>()
            .map_err(|_| FactFault::new(line, column(cell), format!("`{text}` is not {what}: write a number")))
    };
    let depth = u32::try_from(number(1, depth)?).ok().filter(|d| *d <= MAX_PERFT_DEPTH).ok_or_else(|| {
        FactFault::new(
            line,
            column(1),
            format!("`{depth}` is too deep: at most {MAX_PERFT_DEPTH} plies can be counted ahead"),
        )
    })?;
    if position.is_empty() || position.contains(['/', '\\']) {
        let message = "write `start`, or the name of a file in `positions`";
        return Err(FactFault::new(line, 1, message));
    }
    Ok(Row { position: position.to_owned(), depth, positions: number(2, positions)?, line })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_read() {
        let rows =
            table("// Known.\nposition\tdepth\tpositions\n\nstart\t1\t9\nford\t12\t4865609 \n").expect("a table");
        let wanted = [("start", 1, 9, 4), ("ford", 12, 4_865_609, 5)];
        let found: Vec<_> = rows.iter().map(|r| (r.position.as_str(), r.depth, r.positions, r.line)).collect();
        assert_eq!(found, wanted);
        assert_eq!(rows[0].files(), None);
        assert_eq!(rows[1].files().map(|f| f.join(" ")), Some("positions/ford.position positions/ford".into()));
    }

    #[test]
    fn what_is_wrong_with_a_table_is_said() {
        for (text, wanted) in [
            ("", "1:1: a table of counts begins with"),
            ("start\t1\t9", "1:1: a table of counts begins with"),
            (
                "position\tdepth\tpositions\nstart 1 9",
                "2:1: a line has a position, a depth and a count, with tabs between; here are 1",
            ),
            ("position\tdepth\tpositions\nstart\tone\t9", "2:7: `one` is not a depth: write a number"),
            ("position\tdepth\tpositions\nstart\t1001\t9", "2:7: `1001` is too deep: at most 1000 plies"),
            ("position\tdepth\tpositions\nstart\t1\t-9", "2:9: `-9` is not a count: write a number"),
            ("position\tdepth\tpositions\n../x\t1\t9", "2:1: write `start`, or the name of a file in `positions`"),
        ] {
            let found = table(text).map_err(|f| f.to_string()).expect_err("a fault");
            assert!(found.starts_with(wanted), "{text:?}: {found}");
        }
    }
}
