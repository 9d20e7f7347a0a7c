//! The notation of an action in parts, so that a text can be traced back to the arguments it names.

use std::collections::BTreeSet;

use super::Explainer;
use super::note::Silent;
use super::reader::{Given, Reader};
use crate::game::{Args, Position};
use crate::model::{ActionId, ExprKind, TemplatePart, Value};

/// A part of the notation of an action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotationPart {
    /// The same text whatever the arguments are.
    Always(String),
    /// The texts for the values of one argument.
    By(usize, Vec<(i32, String)>),
    /// A text that depends on several arguments, or on one with too many values.
    Open,
}

/// The maximum number of values of an argument that are written out.
const MAX_VALUES: usize = 10_000;

impl Explainer {
    /// The notation of an action at a position, as the referee writes it, or as a seat does that may name what it does
    /// not know.
    #[must_use]
    pub fn written_parts(&self, position: &Position, seat: Option<u16>, id: ActionId, lang: &str) -> Vec<NotationPart> {
        let reader = match seat {
            Some(seat) => Reader::seat(self, position, seat, lang).naming(),
            None => Reader::referee(self, lang),
        };
        let Some(action) = self.model.actions.get(id.i()) else { return Vec::new() };
        let log = action.log.get(lang);
        let mut parts: Vec<NotationPart> =
            log.iter().map(|part| self.written_part(&reader, position, id, part)).collect();
        let is_something = |part: &NotationPart| match part {
            NotationPart::Always(text) => !text.is_empty(),
            NotationPart::By(_, texts) => texts.iter().all(|(_, text)| !text.is_empty()),
            NotationPart::Open => false,
        };
        if parts.iter().any(is_something) {
            return parts;
        }
        if !parts.is_empty() {
            // Where nothing is written, the action is written by its name.
            return vec![NotationPart::Open];
        }
        parts.push(NotationPart::Always(action.name.clone()));
        for (i, (_, ty)) in action.params.iter().enumerate() {
            let texts = self.arguments(id, i).map(|values| {
                values.into_iter().map(|v| (v, reader.chosen(position, &ty.base, &Value::Int(v), false))).collect()
            });
            parts.push(texts.map_or(NotationPart::Open, |texts| NotationPart::By(i, texts)));
        }
        parts
    }

    fn written_part(&self, reader: &Reader, position: &Position, id: ActionId, part: &TemplatePart) -> NotationPart {
        let e = match part {
            TemplatePart::Text(text) => return NotationPart::Always(text.clone()),
            TemplatePart::Value(e) => e,
        };
        if self.model.asks_play(e) {
            return NotationPart::Open;
        }
        let count = self.model.actions.get(id.i()).map_or(0, |a| a.params.len());
        let mut used: BTreeSet<usize> = BTreeSet::new();
        e.walk(&mut |e| {
            if let ExprKind::Local(i) = e.kind {
                used.insert(usize::from(i));
            }
        });
        let mut used = used.into_iter().filter(|i| *i < count);
        let mut values: Vec<i32> =
            (0..count).map(|i| self.arguments(id, i).and_then(|v| v.first().copied()).unwrap_or(0)).collect();
        let text = |values: &[i32]| {
            let args = Args::new(values);
            let given = Given::args(&self.model, id, &args);
            let mut ev = self.at::<Silent>(position);
            let text = ev.with_args(&args, |ev| Ok(reader.written(ev, std::slice::from_ref(part), &given)));
            text.unwrap_or_default()
        };
        match (used.next(), used.next()) {
            (None, _) => NotationPart::Always(text(&values)),
            (Some(i), None) => match self.arguments(id, i) {
                Some(all) => {
                    let each = all.into_iter().map(|value| {
                        values.get_mut(i).into_iter().for_each(|v| *v = value);
                        (value, text(&values))
                    });
                    NotationPart::By(i, each.collect())
                }
                None => NotationPart::Open,
            },
            _ => NotationPart::Open,
        }
    }

    /// The values of an argument of an action; `None` if they are too many.
    #[must_use]
    pub fn arguments(&self, id: ActionId, i: usize) -> Option<Vec<i32>> {
        let (_, ty) = self.model.actions.get(id.i())?.params.get(i)?;
        let values = self.model.values(&ty.base)?;
        (values.clone().count() <= MAX_VALUES).then(|| values.collect())
    }
}
