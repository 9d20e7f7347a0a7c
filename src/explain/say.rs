//! Choices in words: the notation of each, for one who sees all or for a seat.

use super::Explainer;
use super::decision::{DecisionPoint, rest};
use super::note::Silent;
use super::reader::{Given, Reader};
use super::told::Written;
use crate::game::{Choice, Position};
use crate::model::{Base, ChanceWhat, ChooseWhat, Set, StockAnswer, TemplatePart, Value, VarId};

impl Explainer {
    /// How a choice is written here. A choice that does not exist here is written as well as can be.
    #[must_use]
    pub fn say(&self, position: &Position, choice: Choice, lang: &str) -> String {
        self.notations(position, lang).of(choice)
    }

    /// The same for a reader; `kept` tells for each part of the choice whether it goes where the reader does not see
    /// it.
    pub(super) fn say_to(&self, reader: &Reader, position: &Position, choice: Choice, kept: &[bool]) -> String {
        let place = rest(&self.model, position).ok();
        let lang = reader.lang;
        if let Choice::Act(id, args) = choice {
            let Some(action) = self.model.actions.get(id.i()) else {
                return String::from("?");
            };
            let given = Given::args(&self.model, id, &args).kept(kept);
            let mut ev = self.at::<Silent>(position);
            ev.written = Some(Written::new(id, args));
            let text = ev.with_args(&args, |ev| Ok(reader.written(ev, action.log.get(lang), &given)));
            if let Ok(text) = text
                && !text.is_empty()
            {
                return text;
            }
            let values = action.params.iter().zip(args.as_slice()).enumerate();
            let args = values.map(|(i, ((_, ty), v))| {
                let kept = kept.get(i).copied().unwrap_or(false);
                reader.chosen(position, &ty.base, &Value::Int(i32::from(*v)), kept)
            });
            let args: Vec<String> = args.collect();
            return format!("{} {}", action.name, args.join(", ")).trim_end().to_owned();
        }
        match (place, choice) {
            (Some(DecisionPoint::Decision(choose, ..)), Choice::Pass) => {
                if let ChooseWhat::Several { into, .. } = &choose.what {
                    let begun = !super::values::as_set(position.read(&self.model, *into, 0)).is_empty();
                    if begun || !choose.optional {
                        return String::from(StockAnswer::Done.word(lang));
                    }
                }
                let mut ev = self.at::<Silent>(position);
                let text = reader.written(&mut ev, choose.otherwise.get(lang), &Given::nothing());
                if text.is_empty() { plain(Choice::Pass, lang) } else { text }
            }
            (Some(DecisionPoint::Decision(choose, ..)), choice) => {
                let of = match &choose.what {
                    ChooseWhat::One { of, into, .. } => Some((of.clone(), *into)),
                    ChooseWhat::Several { of, into, .. } => Some((of.clone(), *into)),
                    ChooseWhat::Number { into, .. } => Some((Base::Int, *into)),
                    ChooseWhat::Yes { into } => Some((Base::Bool, *into)),
                    ChooseWhat::Act { .. } => None,
                };
                self.chosen(reader, position, choose.log.get(lang), of, (choice, kept))
            }
            (Some(DecisionPoint::Chance(chance, ..)), choice) => {
                let of = match &chance.what {
                    ChanceWhat::Pick { of, into, .. } | ChanceWhat::Draw { of, into, .. } => Some((of.clone(), *into)),
                    ChanceWhat::Roll { into, .. } => Some((Base::Int, *into)),
                    ChanceWhat::Shuffle { pile, .. } => {
                        let base = self.model.vars.get(pile.var.i()).map(|v| &v.ty.base);
                        return match (base, choice) {
                            (Some(Base::List(kind)), Choice::Value(i)) => {
                                reader.chosen(position, &Base::Member(*kind), &Value::Int(i), false)
                            }
                            _ => plain(choice, lang),
                        };
                    }
                };
                self.chosen(reader, position, chance.log.get(lang), of, (choice, kept))
            }
            (_, choice) => plain(choice, lang),
        }
    }

    /// The notation of a value that goes into a variable.
    fn chosen(
        &self,
        reader: &Reader,
        position: &Position,
        log: &[TemplatePart],
        of: Option<(Base, VarId)>,
        (choice, kept): (Choice, &[bool]),
    ) -> String {
        let Some((base, into)) = of else {
            return plain(choice, reader.lang);
        };
        let value = match choice {
            Choice::Value(i) => Value::Int(i),
            Choice::Yes => Value::Int(1),
            _ => return plain(choice, reader.lang),
        };
        let mut after = position.clone();
        let several = self.model.vars.get(into.i()).map(|v| &v.ty.base);
        let stored = match (several, value.int().and_then(|i| base.bit(i))) {
            (Some(Base::Set(_)), Some(b)) => Value::Set(Set::from_iter([b])),
            _ => value.clone(),
        };
        // Where it does not fit, the notation shows what was there.
        let _ = after.write(&self.model, into, 0, &stored);
        let given = Given::value(&base, &value, into).kept(kept);
        let mut ev = self.at::<Silent>(&after);
        let text = reader.written(&mut ev, log, &given);
        if !text.is_empty() {
            return text;
        }
        match choice {
            Choice::Value(_) => reader.chosen(position, &base, &value, kept.first().copied().unwrap_or(false)),
            _ => plain(choice, reader.lang),
        }
    }
}

/// The notation of an option after some that are written alike: `taps Gandalf (2)`.
pub(super) fn numbered(text: &str, before: usize) -> String {
    format!("{text} ({})", before + 1)
}

/// Numbers the texts of options that are written like one before.
pub(super) fn number_alike(texts: &mut [String]) {
    let written = texts.to_vec();
    for (i, text) in texts.iter_mut().enumerate() {
        let same = written.iter().take(i).filter(|before| *before == text).count();
        if same > 0 {
            *text = numbered(text, same);
        }
    }
}

fn plain(choice: Choice, lang: &str) -> String {
    match choice {
        Choice::Act(..) => String::from("?"),
        Choice::Value(i) => i.to_string(),
        Choice::Yes => String::from(StockAnswer::Yes.word(lang)),
        Choice::Pass => String::from(StockAnswer::Pass.word(lang)),
    }
}
