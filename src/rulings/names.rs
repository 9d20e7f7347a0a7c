//! Names of seats, members and holders in rulings.

use crate::game::Considered;
use crate::model::{KindId, Model, PLAYER};

/// A member by its name, or its identifier where it has none.
pub(super) fn member(model: &Model, kind: KindId, member: u16, lang: &str) -> String {
    let member = model.kinds.get(kind.i()).and_then(|k| k.members.get(usize::from(member)));
    member.map_or_else(
        || String::from("?"),
        |m| match m.name.get(lang) {
            "" => m.id.clone(),
            name => name.to_owned(),
        },
    )
}

/// A seat.
pub(super) fn seat(model: &Model, seat: u16, lang: &str) -> String {
    member(model, PLAYER, seat, lang)
}

/// The holder of a clause's ability, where several have it.
pub(super) fn holder(model: &Model, considered: &Considered, lang: &str) -> Option<String> {
    let ability = model.clause(considered.clause)?.ability?;
    let ability = model.abilities.get(ability.i())?;
    (ability.holders.len() > 1).then_some(())?;
    Some(member(model, ability.kind, considered.holder?, lang))
}
