//! The value of an expression in words, and what it was made of.

use std::collections::BTreeSet;

use super::card::{brought_as, is_for_people};
use super::text;
use crate::explain::Explainer;
use crate::game::{Considered, Derived, Position, SeenMember, SeenValue, Valuation};
use crate::lexicon::{Lexicon, fill};
use crate::model::{KindId, Model};

/// The value of an expression, as it was `asked`, and what it was made of: of the definitions on the way the numbers
/// that are not 0 and those that a clause has changed, or `all` of them. Last, as what the members in it were brought.
/// Without a seat, all is seen.
#[must_use]
pub fn value_lines(
    referee: &Explainer,
    (position, seat): (&Position, Option<u16>),
    (asked, found): (&str, &Valuation),
    (all, lang): (bool, &str),
) -> Vec<String> {
    let model = referee.shared();
    let lexicon = Lexicon::new(model, lang);
    let tells = |d: &&Derived| all || matches!(d.value, SeenValue::Number(n) if n != 0) || is_for_people(model, d);
    let others: Vec<&Derived> = found.on_the_way.iter().filter(tells).collect();
    let line = |derived: &Derived, indent: &str| {
        let mut line = String::new();
        let write = if all { text::derived_by_all } else { text::derived };
        write(&mut line, &lexicon, derived, indent);
        line.trim_end().to_owned()
    };
    let head = match &found.made {
        Some(made) => line(made, ""),
        None => fill(lexicon.words.is, &[asked, &lexicon.value(&found.value)]),
    };
    let all_told = others.iter().copied().chain(&found.made);
    let named: BTreeSet<(KindId, u16)> = all_told.flat_map(|d| named(model, d)).collect();
    let view = referee.view_for(position, seat);
    let brought = named.into_iter().filter_map(|(kind, member)| match brought_as(&lexicon, &view, (kind, member))? {
        SeenMember::Known(of, print) => {
            let (name, print) = (lexicon.member(kind, member), lexicon.member(of, print));
            Some(fill(lexicon.words.events.became, &[&name, &print]))
        }
        SeenMember::Unknown(..) => None,
    });
    let brought: Vec<String> = brought.collect();
    let legend = (!brought.is_empty()).then(|| format!("  {}", brought.join(lexicon.words.comma)));
    [head].into_iter().chain(others.iter().map(|d| line(d, "  "))).chain(legend).collect()
}

/// The members that a definition's arguments are, and the holders of the clauses that made its value.
fn named<'a>(model: &'a Model, derived: &'a Derived) -> impl Iterator<Item = (KindId, u16)> + 'a {
    let args = derived.what.args.iter().filter_map(|arg| match arg {
        SeenValue::Member(SeenMember::Known(kind, member)) => Some((*kind, *member)),
        _ => None,
    });
    let holder = |c: &Considered| {
        let ability = model.abilities.get(model.clause(c.clause)?.ability?.i())?;
        Some((ability.kind, c.holder?))
    };
    args.chain(derived.by.iter().filter_map(holder))
}
