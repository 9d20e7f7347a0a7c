//! A grid of settings: some options and readings, each with the values that it takes.

use lawspeaker::facts::Settings;
use lawspeaker::library::Unusable;

/// The most sets of settings that are played side by side.
pub const MAX_CELLS: usize = 500;

/// An option or reading with the values that it takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dimension {
    /// Its name.
    pub name: String,
    /// The values.
    pub values: Values,
}

/// Values of an option or reading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Values {
    /// It is switched on.
    On,
    /// These.
    List(Vec<String>),
    /// All whole numbers from one to another.
    Range(i32, i32),
}

/// Reads `NAME=VALUES`: `hand_size=5..9`, `variant_cards=false,true`, `shelob`.
pub fn dimension(text: &str) -> Result<Dimension, String> {
    const HELP: &str = "write NAME=VALUES, for example hand_size=5..9 or variant_cards=false,true";
    let (name, values) = match text.split_once('=') {
        Some((name, values)) => (name.trim(), Some(values.trim())),
        None => (text.trim(), None),
    };
    if name.is_empty() || name.contains(char::is_whitespace) {
        return Err(HELP.to_owned());
    }
    let values = match values {
        None => Values::On,
        Some(values) => read(values).ok_or_else(|| HELP.to_owned())?,
    };
    Ok(Dimension { name: name.to_owned(), values })
}

fn read(values: &str) -> Option<Values> {
    if let Some((from, to)) = values.split_once("..") {
        let (from, to) = (from.trim().parse().ok()?, to.trim().parse().ok()?);
        return (from <= to).then_some(Values::Range(from, to));
    }
    let list: Vec<String> = values.split(',').map(|value| value.trim().to_owned()).collect();
    list.iter().all(|value| !value.is_empty()).then_some(Values::List(list))
}

impl Dimension {
    /// How many values it takes.
    fn count(&self) -> usize {
        match &self.values {
            Values::On => 1,
            Values::List(list) => list.len(),
            Values::Range(from, to) => usize::try_from(i64::from(*to) - i64::from(*from) + 1).unwrap_or(usize::MAX),
        }
    }

    /// A value by its number, as `--with` takes it.
    fn value(&self, n: usize) -> Option<String> {
        match &self.values {
            Values::On => None,
            Values::List(list) => list.get(n).cloned(),
            Values::Range(from, _) => Some((from + n as i32).to_string()),
        }
    }

    /// Whether it takes more than one value.
    pub fn varies(&self) -> bool {
        self.count() > 1
    }
}

/// All sets of values, the last dimension fastest; each has the name and the value of each dimension.
///
/// # Errors
/// There are too many, or a name comes twice.
pub fn cells(grid: &[Dimension]) -> Result<Vec<Vec<(String, Option<String>)>>, Unusable> {
    for (i, one) in grid.iter().enumerate() {
        if grid.iter().skip(i + 1).any(|other| other.name == one.name) {
            let message = format!("{} is given twice", one.name);
            return Err(Unusable::new(message, format!("write all its values at once: {}=A,B,C", one.name)));
        }
    }
    let count = grid.iter().fold(1_usize, |all, one| all.saturating_mul(one.count()));
    if count > MAX_CELLS {
        let message = format!("{count} sets of settings are too many");
        return Err(Unusable::new(message, format!("at most {MAX_CELLS} are played: give fewer values")));
    }
    let cell = |mut n: usize| {
        let mut values: Vec<(String, Option<String>)> = Vec::new();
        for one in grid.iter().rev() {
            values.push((one.name.clone(), one.value(n % one.count())));
            n /= one.count();
        }
        values.reverse();
        values
    };
    Ok((0..count).map(cell).collect())
}

/// Settings with these values over them.
pub fn over(settings: &Settings, values: &[(String, Option<String>)]) -> Settings {
    let mut settings = settings.clone();
    settings.options.extend(values.iter().cloned());
    settings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_a_list_or_a_range() {
        let values = |text: &str| dimension(text).map(|d| d.values);
        assert_eq!(values("hand_size=5..9"), Ok(Values::Range(5, 9)));
        assert_eq!(values("n = -2 .. 0"), Ok(Values::Range(-2, 0)));
        assert_eq!(values("cards=false, true"), Ok(Values::List(vec!["false".into(), "true".into()])));
        assert_eq!(values("shelob=any_good"), Ok(Values::List(vec!["any_good".into()])));
        assert_eq!(values("fast"), Ok(Values::On));
        for text in ["", "=5", "n=", "n=9..5", "n=a..b", "n=1,,2", "a b=3"] {
            assert!(dimension(text).is_err(), "{text}");
        }
    }

    #[test]
    fn cells_are_all_sets_of_values() {
        let grid = ["n=5..6", "cards=false,true", "fast"].map(|text| dimension(text).unwrap());
        let cells = cells(&grid).unwrap();
        let told = |cell: &Vec<(String, Option<String>)>| {
            cell.iter().map(|(name, value)| format!("{name} {}", value.as_deref().unwrap_or("-"))).collect::<Vec<_>>()
        };
        assert_eq!(
            cells.iter().map(told).collect::<Vec<_>>(),
            [
                ["n 5", "cards false", "fast -"],
                ["n 5", "cards true", "fast -"],
                ["n 6", "cards false", "fast -"],
                ["n 6", "cards true", "fast -"],
            ]
        );
        assert_eq!(super::cells(&[]).unwrap().len(), 1);
        assert!(super::cells(&[dimension("n=1..501").unwrap()]).is_err());
        assert!(super::cells(&[dimension("n=-2000000000..2000000000").unwrap()]).is_err());
        assert!(super::cells(&[dimension("n=1").unwrap(), dimension("n=2").unwrap()]).is_err());
    }
}
