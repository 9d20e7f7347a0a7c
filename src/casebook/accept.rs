//! Updates recorded rulings.

use super::{Case, parse, run};
use crate::facts::Settings;
use crate::rules::Rules;
use std::fmt;

/// The text of a casebook with every `ruling` block updated. Blocks whose case asks nothing stay as they are.
pub fn accept<E: fmt::Display>(name: &str, text: &str, load: &dyn Fn(&Settings) -> Result<Rules, E>) -> String {
    let (cases, _) = parse(name, text);
    let mut out = text.to_owned();
    let mut changes: Vec<(std::ops::Range<usize>, String)> = cases
        .iter()
        .filter_map(|case: &Case| {
            let recorded = case.ruling.as_ref()?;
            let now = run(case, load).ruling?;
            let same = now.trim_end() == recorded.text.replace('\r', "").trim_end();
            (!same).then(|| (recorded.bytes.clone(), format!("{}\n", now.trim_end())))
        })
        .collect();
    changes.sort_by_key(|c| std::cmp::Reverse(c.0.start));
    for (bytes, now) in changes {
        if out.get(bytes.clone()).is_some() {
            out.replace_range(bytes, &now);
        }
    }
    out
}
