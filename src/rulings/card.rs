//! All that there is to say of one member: what is printed, what holds now, its abilities, and what bears on it.

use super::text;
use crate::explain::Explainer;
use crate::game::{Considered, Derived, Position, SeenField, SeenMember, SeenValue, View};
use crate::lexicon::{Lexicon, fill};
use crate::map::pieces;
use crate::model::{Ability, AbilityId, Arranged, Base, Borne, ClauseId, Field, FieldStore, KindId, Model, Value};
use crate::spelling::fold;

/// The members that are called so, or have that identifier, the first one of each kind: those with a field that
/// changes, or with abilities, if there are such.
#[must_use]
pub fn members_called(model: &Model, name: &str, lang: &str) -> Vec<(KindId, u16)> {
    let lexicon = Lexicon::new(model, lang);
    let wanted = fold(name);
    // What stands without a name is not called so.
    if wanted.is_empty() {
        return Vec::new();
    }
    let called = |kind: KindId, member: u16, id: &str| {
        fold(&lexicon.member(kind, member)) == wanted
            || fold(id) == wanted
            || fold(&Lexicon::new(model, "").member(kind, member)) == wanted
    };
    let mut found: Vec<(KindId, u16)> = Vec::new();
    for (k, kind) in model.kinds.iter().enumerate().filter(|(_, kind)| kind.pair.is_none()) {
        let id = KindId(k as u16);
        let mut members = kind.members.iter().zip(0..).filter(|(member, i)| called(id, *i, &member.id));
        found.extend(members.next().map(|(_, i)| (id, i)));
    }
    if found.iter().any(|member| is_alive(model, *member)) {
        found.retain(|member| is_alive(model, *member));
    }
    found
}

/// The members whose names have all the words that were typed, each at the beginning of a word: those with a field that
/// changes, or with abilities, if there are such.
#[must_use]
pub fn members_like(model: &Model, typed: &str, lang: &str) -> Vec<(KindId, u16)> {
    let lexicon = Lexicon::new(model, lang);
    let wanted = fold(typed);
    let words: Vec<&str> = wanted.split(' ').filter(|word| word.chars().count() > 1).collect();
    if words.is_empty() {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (k, kind) in model.kinds.iter().enumerate().filter(|(_, kind)| kind.pair.is_none()) {
        let id = KindId(k as u16);
        for member in 0..kind.members.len() as u16 {
            let name = fold(&lexicon.member(id, member));
            let begins = |word: &&str| name.split(' ').any(|own| own.starts_with(*word));
            if words.iter().all(begins) {
                found.push((id, member));
            }
        }
    }
    if found.iter().any(|member| is_alive(model, *member)) {
        found.retain(|member| is_alive(model, *member));
    }
    found
}

/// Whether a member has a field that changes, or may have abilities.
fn is_alive(model: &Model, (kind, _): (KindId, u16)) -> bool {
    let fields = model.kinds.get(kind.i()).map_or(&[][..], |kind| &kind.fields);
    fields.iter().any(|f| matches!(f.store, FieldStore::Var(_))) || model.abilities.iter().any(|a| a.kind == kind)
}

/// What a seat may be told of a member, a line each; without a seat, all there is.
#[must_use]
pub fn member_card(
    referee: &Explainer,
    position: &Position,
    seat: Option<u16>,
    (kind, member): (KindId, u16),
    lang: &str,
) -> Vec<String> {
    let model = referee.shared();
    let lexicon = Lexicon::new(model, lang);
    let Some(of) = model.kinds.get(kind.i()) else { return Vec::new() };
    let (name, words) = (lexicon.member(kind, member), &lexicon.words.card);
    let cites = of.members.get(usize::from(member)).map_or(&[][..], |m| &m.cites);
    let view = referee.view_for(position, seat);
    let brought = brought_as(&lexicon, &view, (kind, member));
    let mut title = match &brought {
        Some(SeenMember::Known(kind, m)) => fill(lexicon.words.events.became, &[&name, &lexicon.member(*kind, *m)]),
        _ => name + &lexicon.words.bracketed(lexicon.kind(kind)),
    };
    if !cites.is_empty() {
        title = format!("{title} [{}]", cites.join(", "));
    }
    let mut lines = vec![title];
    let mut values = |phrase: &str, values: Vec<String>| {
        if !values.is_empty() {
            lines.push(format!("  {}", fill(phrase, &[&values.join(lexicon.words.comma)])));
        }
    };
    let print = match brought {
        Some(SeenMember::Known(kind, member)) => (kind, member),
        _ => (kind, member),
    };
    values(words.printed, printed(&lexicon, print));
    let known = view.kind(kind).and_then(|seen| seen.member(member)).map_or(&[][..], |known| &known.fields);
    values(words.now, now(&lexicon, &view, known, (kind, member)));
    lines.extend(rows(&lexicon, print).into_iter().map(|row| format!("  {row}")));
    for (i, ability) in model.abilities.iter().enumerate() {
        let id = AbilityId(i as u16);
        if ability.kind == kind && ability.holders.contains(&member) && has_now(ability, member, known) {
            let silenced = referee.silenced_for(position, seat, id, member);
            lines.extend(ability_lines(&lexicon, id, silenced));
        } else if gives(model, ability, (kind, member)) {
            lines.extend(ability_lines(&lexicon, id, None));
        }
    }
    let about = referee.about(position, seat, (kind, member));
    for derived in about.into_iter().filter(|d| is_for_people(model, d)) {
        let mut line = String::new();
        text::derived(&mut line, &lexicon, &derived, "  ");
        lines.push(line.trim_end().to_owned());
    }
    lines
}

/// What a member was brought as.
pub(super) fn brought_as(lexicon: &Lexicon, view: &View, (kind, member): (KindId, u16)) -> Option<SeenMember> {
    let bring = lexicon.model.brings.iter().find(|b| b.kind == kind)?;
    let known = &view.kind(kind)?.member(member)?.fields;
    known.iter().find_map(|seen| {
        match (&lexicon.model.kinds.get(kind.i())?.fields.get(seen.field)?.store, &seen.value) {
            (FieldStore::Var(var), SeenValue::Member(member)) if *var == bring.field => Some(*member),
            _ => None,
        }
    })
}

/// Whether a clause has changed a definition, and to a value that people know: a number, or what an ability says. Other
/// truths only help rules.
pub(super) fn is_for_people(model: &Model, derived: &Derived) -> bool {
    let ability = |by: &Considered| model.clause(by.clause).is_some_and(|c| c.ability.is_some());
    let known = matches!(derived.value, SeenValue::Number(_)) || derived.by.iter().any(ability);
    known && text::is_changed(model, derived)
}

fn value_of(lexicon: &Lexicon, name: &str, value: &SeenValue) -> Option<String> {
    match value {
        value if value.is_idle() => None,
        SeenValue::Truth(_) => Some(name.replace('_', " ")),
        value => Some(format!("{} {}", name.replace('_', " "), lexicon.prose(value))),
    }
}

/// The printed fields that are something and that somebody has written, but for those that say where to draw it.
fn printed(lexicon: &Lexicon, (kind, member): (KindId, u16)) -> Vec<String> {
    let model = lexicon.model;
    let board = model.board.as_ref().filter(|b| b.kind == kind);
    let drawn = |field: usize| {
        board.is_some_and(|b| match b.arranged {
            Arranged::Rows { row, column } => field == row || field == column,
            Arranged::Groups(_) => false,
        })
    };
    let fields = model.kinds.get(kind.i()).map_or(&[][..], |kind| &kind.fields);
    // Tables of a board have columns that only help rules: what lies around, how it is written.
    let helps = |i: usize, field: &Field| match board {
        Some(board) if board.with.is_some() => board.told(model, kind, i).is_none(),
        Some(_) => !matches!(field.ty.base, Base::Bool | Base::Member(_)),
        None => false,
    };
    let shown = fields.iter().enumerate().filter(|(i, field)| !drawn(*i) && !helps(*i, field));
    let said = shown.filter_map(|(i, field)| {
        let value = written(field, usize::from(member)).filter(|value| *value != SeenValue::Number(0))?;
        value_of(lexicon, lexicon.field(kind, i), &value)
    });
    said.collect()
}

/// The value of a printed field that somebody has written for a member: not the default.
fn written(field: &Field, member: usize) -> Option<SeenValue> {
    let FieldStore::Printed(values) = &field.store else { return None };
    let value = values.get(member).filter(|value| Some(*value) != field.default.as_ref())?;
    Some(SeenValue::known(&field.ty.base, value))
}

/// The rows of tables that people have a word for and that belong to a member, whom their first field names: of each
/// kind that word, and of each row the values that people have words for.
fn rows(lexicon: &Lexicon, of: (KindId, u16)) -> Vec<String> {
    let model = lexicon.model;
    let mut lines = Vec::new();
    for (k, kind) in model.kinds.iter().enumerate() {
        let id = KindId(k as u16);
        let Some(FieldStore::Printed(names)) = kind.fields.first().map(|field| &field.store) else { continue };
        let about = kind.fields.first().is_some_and(|field| field.ty.base == Base::Member(of.0));
        if !about || kind.label.text.is_empty() || kind.called.is_some() || is_alive(model, (id, 0)) {
            continue;
        }
        let member = Value::Int(i32::from(of.1));
        for row in (0..names.len()).filter(|row| names.get(*row) == Some(&member)) {
            let labelled = |(i, field): (usize, &Field)| {
                let value = written(field, row).filter(|_| i > 0 && !field.label.text.is_empty())?;
                value_of(lexicon, lexicon.field(id, i), &value)
            };
            let said: Vec<String> = kind.fields.iter().enumerate().filter_map(labelled).collect();
            lines.push(match said.is_empty() {
                true => lexicon.kind(id).to_owned(),
                false => fill(lexicon.words.play.variable, &[lexicon.kind(id), &said.join(lexicon.words.comma)]),
            });
        }
    }
    lines
}

/// Whether a member has an ability that it can have, as far as is seen of its fields.
fn has_now(ability: &Ability, member: u16, known: &[SeenField]) -> bool {
    let gives = |borne: &Borne, value: &SeenValue| match value {
        SeenValue::Member(SeenMember::Known(_, giver)) => borne.givers.contains(giver),
        _ => false,
    };
    ability.borne.is_empty()
        || ability.always.contains(&member)
        || ability.borne.iter().any(|borne| {
            let values = known.iter().filter(|seen| seen.field == borne.field).map(|seen| &seen.value);
            values.into_iter().any(|value| match value {
                SeenValue::Set(all) => all.iter().any(|one| gives(borne, one)),
                one => gives(borne, one),
            })
        })
}

/// Whether whoever holds a member has an ability by it, as a card has what is printed on it.
fn gives(model: &Model, ability: &Ability, (kind, member): (KindId, u16)) -> bool {
    let fields = model.kinds.get(ability.kind.i()).map_or(&[][..], |kind| &kind.fields);
    ability.borne.iter().any(|borne| {
        let of = fields.get(borne.field).map(|field| match &field.ty.base {
            Base::Set(of) => &**of,
            base => base,
        });
        of == Some(&Base::Member(kind)) && borne.givers.contains(&member)
    })
}

/// The fields that change, as the seat sees them, and where the member lies.
fn now(lexicon: &Lexicon, view: &View, known: &[SeenField], (kind, member): (KindId, u16)) -> Vec<String> {
    let fields = lexicon.model.kinds.get(kind.i()).map_or(&[][..], |kind| &kind.fields);
    let board = lexicon.model.board.as_ref();
    let mut said: Vec<String> = match board.filter(|board| board.kind == kind) {
        // As on the board: what stands there.
        Some(board) => {
            let pieces = pieces::at(lexicon, board, view, member);
            let own = pieces::own_fields(lexicon, board, view, member).into_iter();
            own.chain(pieces::counted(&pieces).into_iter().map(|(_, words)| words)).collect()
        }
        None => {
            let bring = lexicon.model.brings.iter().find(|b| b.kind == kind);
            let as_at_first = |seen: &&SeenField| {
                let Some(field) = fields.get(seen.field) else { return false };
                let brought = matches!(field.store, FieldStore::Var(v) if bring.is_some_and(|b| b.field == v));
                let placed = board.and_then(|b| b.shown(kind)).is_some_and(|shows| shows.at == seen.field);
                let first = || pieces::first(lexicon.model, field, Some(member));
                brought || !placed && (first().as_ref() == Some(&seen.value) || seen.value == SeenValue::Number(0))
            };
            let changed = known.iter().filter(|seen| !as_at_first(seen));
            changed.filter_map(|seen| value_of(lexicon, lexicon.field(kind, seen.field), &seen.value)).collect()
        }
    };
    // Where it lies, and what has it: entries of variables and piles that name it.
    let own = SeenValue::Member(SeenMember::Known(kind, member));
    let in_piles = view.piles.iter().filter(|p| p.members.as_ref().is_some_and(|all| all.contains(&own)));
    said.extend(in_piles.map(|pile| fill(lexicon.words.card.lies_in, &[&lexicon.entry(pile.var, pile.index)])));
    let is_member = |base: &Base| *base == Base::Member(kind);
    let named = view.variables.iter().filter(|v| v.value == own);
    let named = named.filter(|v| lexicon.model.vars.get(v.var.i()).is_some_and(|var| is_member(&var.ty.base)));
    let named = named.filter(|v| lexicon.model.vars.get(v.var.i()).is_some_and(|var| !var.label.text.is_empty()));
    said.extend(named.map(|v| lexicon.entry(v.var, v.index)));
    said
}

/// An ability with its clauses, and what silences it.
fn ability_lines(lexicon: &Lexicon, id: AbilityId, silenced_by: Option<ClauseId>) -> Vec<String> {
    let model = lexicon.model;
    let Some(ability) = model.abilities.get(id.i()) else { return Vec::new() };
    let mut title = ability.label.get(lexicon.lang).to_owned();
    let own: Vec<usize> = (0..model.clauses.len())
        .filter(|i| model.clauses.get(*i).is_some_and(|c| c.ability == Some(id) && c.first.is_none()))
        .collect();
    if own.is_empty() && !ability.cites.is_empty() {
        title = format!("{title} [{}]", ability.cites.join(", "));
    }
    let mut line = fill(lexicon.words.card.ability, &[&title]);
    if let Some(by) = silenced_by {
        line = format!("{line}{}{}", lexicon.words.comma, fill(lexicon.words.silenced_by, &[&lexicon.cited(by)]));
    }
    let clauses = own.into_iter().map(|i| format!("    {}", said_by(lexicon, ClauseId(i as u16))));
    [format!("  {line}")].into_iter().chain(clauses).collect()
}

/// What a clause says, in its own words where it has any: people need not know what it is attached to.
fn said_by(lexicon: &Lexicon, id: ClauseId) -> String {
    let Some(clause) = lexicon.model.clause(id).filter(|clause| !clause.label.text.is_empty()) else {
        return lexicon.cited(id);
    };
    match clause.cites.is_empty() {
        true => lexicon.label(id),
        false => format!("{} [{}]", lexicon.label(id), clause.cites.join(", ")),
    }
}
