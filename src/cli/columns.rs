//! Rows in columns, by the width of what stands in them.

use lawspeaker::map;

/// The rows as lines. The column of this number is flush left, all others flush right.
pub fn aligned(rows: &[Vec<String>], left: usize) -> Vec<String> {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width =
        |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|c| map::columns(c)).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let line = |row: &Vec<String>| {
        let cell = |(i, (cell, width)): (usize, (&String, &usize))| {
            let gap = " ".repeat(width.saturating_sub(map::columns(cell)));
            if i == left { format!("{cell}{gap}") } else { format!("{gap}{cell}") }
        };
        let cells: Vec<String> = row.iter().zip(&widths).enumerate().map(cell).collect();
        cells.join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_what_stands_in_them() {
        let row = |cells: &[&str]| cells.iter().map(|c| (*c).to_owned()).collect::<Vec<String>>();
        let lines = aligned(&[row(&["1", "2.5", "Sam"]), row(&["100", "10.5", "闇"])], 2);
        assert_eq!(lines, ["  1   2.5  Sam", "100  10.5  闇"]);
        assert_eq!(aligned(&[row(&["闇", "1"]), row(&["Sam", "22"])], 0), ["闇    1", "Sam  22"]);
        assert_eq!(aligned(&[], 0), Vec::<String>::new());
    }
}
