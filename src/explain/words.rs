//! Values and choices in words.

use super::Explainer;
use super::decide::{Rest, rest};
use super::eval::{bit, lowest, number};
use super::note::Silent;
use super::reader::{Given, Reader};
use crate::game::{Choice, Position};
use crate::model::{Base, ChanceWhat, ChooseWhat, KindId, Model, Set, Template, TemplatePart, Value, VarId};

/// The name of a member.
pub(super) fn member(model: &Model, kind: KindId, i: i32, lang: &str) -> String {
    let member = model.kinds.get(kind.i()).and_then(|k| k.members.get(usize::try_from(i).ok()?));
    match member {
        None => i.to_string(),
        Some(m) if m.name.get(lang).is_empty() => m.id.clone(),
        Some(m) => m.name.get(lang).to_owned(),
    }
}

/// What a bag holds, each copy by itself, in order.
pub(crate) fn bag_items<'v>(of: &Base, bag: &'v Value) -> impl Iterator<Item = i32> + use<'v> {
    let counts = if let Value::Bag(counts) = bag { counts.as_slice() } else { &[] };
    let lo = lowest(of);
    let each = move |(i, n): (usize, &u8)| std::iter::repeat_n(lo.saturating_add(i as i32), usize::from(*n));
    counts.iter().enumerate().flat_map(each)
}

/// A value in words.
pub(crate) fn value_text(model: &Model, base: &Base, value: &Value, lang: &str) -> String {
    match (value, base) {
        (Value::None, _) => String::from("none"),
        (Value::Text(text), _) => text.clone(),
        (Value::Int(i), Base::Bool) => String::from(if *i == 0 { "no" } else { "yes" }),
        (Value::Int(i), Base::Member(kind)) => member(model, *kind, *i, lang),
        (Value::Int(i), _) => i.to_string(),
        (Value::Set(set), base) => {
            let of = match base {
                Base::Set(of) => of.as_ref(),
                Base::List(kind) => &Base::Member(*kind),
                _ => &Base::Int,
            };
            let items = set.iter().map(|b| Value::Int(number(of, b)));
            let items: Vec<String> = items.map(|v| value_text(model, of, &v, lang)).collect();
            format!("{{{}}}", items.join(", "))
        }
        (Value::Bag(_), base) => {
            let Base::Bag(of) = base else { return String::from("?") };
            let items = bag_items(of, value).map(|i| value_text(model, of, &Value::Int(i), lang));
            format!("{{{}}}", items.collect::<Vec<_>>().join(", "))
        }
        (Value::List(items), base) => {
            let of = match base {
                Base::List(kind) => Base::Member(*kind),
                Base::Set(of) => of.as_ref().clone(),
                _ => Base::Int,
            };
            let items = items.iter().map(|i| Value::Int(i32::from(*i)));
            let items: Vec<String> = items.map(|v| value_text(model, &of, &v, lang)).collect();
            format!("[{}]", items.join(", "))
        }
    }
}

impl Template {
    /// The parts in a language, or those of the file where it has none.
    pub(crate) fn get(&self, lang: &str) -> &[TemplatePart] {
        self.translations.iter().find(|(l, _)| l == lang).map_or(&self.parts, |(_, parts)| parts)
    }
}

impl Explainer {
    /// A value of a base in words: names of members, `none`, `yes` and `no`, `{A, B}`; an ordered pile from the bottom up as `[A, B]`.
    #[must_use]
    pub fn value_text(&self, base: &Base, value: &Value, lang: &str) -> String {
        value_text(&self.model, base, value, lang)
    }

    /// How a choice is written here. A choice that does not exist here is written as well as can be.
    #[must_use]
    pub fn say(&self, position: &Position, choice: Choice, lang: &str) -> String {
        self.say_to(&Reader::referee(self, lang), position, choice, &[])
    }

    /// The same for a reader; of each part of the choice it is said whether it goes where the reader does not see it.
    pub(super) fn say_to(&self, reader: &Reader, position: &Position, choice: Choice, kept: &[bool]) -> String {
        let place = rest(&self.model, position).ok();
        let lang = reader.lang;
        if let Choice::Act(id, args) = choice {
            let Some(action) = self.model.actions.get(id.i()) else {
                return String::from("?");
            };
            let given = Given::args(&self.model, id, &args).kept(kept);
            let mut ev = self.at::<Silent>(position);
            let text = ev.with_args(&args, |ev| Ok(reader.written(ev, action.log.get(lang), &given)));
            if let Ok(text) = text
                && !text.is_empty()
            {
                return text;
            }
            let values = action.params.iter().zip(args.as_slice()).enumerate();
            let args = values.map(|(i, ((_, ty), v))| {
                let kept = kept.get(i).copied().unwrap_or(false);
                reader.chosen(&ty.base, &Value::Int(i32::from(*v)), kept)
            });
            let args: Vec<String> = args.collect();
            return format!("{} {}", action.name, args.join(", ")).trim_end().to_owned();
        }
        match (place, choice) {
            (Some(Rest::Decision(choose, ..)), Choice::Pass) => {
                let otherwise = choose.otherwise.get(lang);
                if matches!(choose.what, ChooseWhat::Several { .. }) {
                    String::from("done")
                } else if otherwise.is_empty() {
                    String::from("pass")
                } else {
                    otherwise.to_owned()
                }
            }
            (Some(Rest::Decision(choose, ..)), choice) => {
                let of = match &choose.what {
                    ChooseWhat::One { of, into, .. } => Some((of.clone(), *into)),
                    ChooseWhat::Several { of, into, .. } => Some((of.clone(), *into)),
                    ChooseWhat::Number { into, .. } => Some((Base::Int, *into)),
                    ChooseWhat::Yes { into } => Some((Base::Bool, *into)),
                    ChooseWhat::Act { .. } => None,
                };
                self.chosen(reader, position, choose.log.get(lang), of, (choice, kept))
            }
            (Some(Rest::Chance(chance, ..)), choice) => {
                let of = match &chance.what {
                    ChanceWhat::Pick { of, into, .. } => Some((of.clone(), *into)),
                    ChanceWhat::Roll { into, .. } => Some((Base::Int, *into)),
                    ChanceWhat::Shuffle { pile, .. } => {
                        let base = self.model.vars.get(pile.var.i()).map(|v| &v.ty.base);
                        return match (base, choice) {
                            (Some(Base::List(kind)), Choice::Value(i)) => {
                                reader.chosen(&Base::Member(*kind), &Value::Int(i), false)
                            }
                            _ => plain(choice),
                        };
                    }
                };
                self.chosen(reader, position, chance.log.get(lang), of, (choice, kept))
            }
            (_, choice) => plain(choice),
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
            return plain(choice);
        };
        let value = match choice {
            Choice::Value(i) => Value::Int(i),
            Choice::Yes => Value::Int(1),
            _ => return plain(choice),
        };
        let mut after = position.clone();
        let several = self.model.vars.get(into.i()).map(|v| &v.ty.base);
        let stored = match (several, value.int().and_then(|i| bit(&base, i))) {
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
            Choice::Value(_) => reader.chosen(&base, &value, kept.first().copied().unwrap_or(false)),
            _ => plain(choice),
        }
    }
}

fn plain(choice: Choice) -> String {
    match choice {
        Choice::Act(..) => String::from("?"),
        Choice::Value(i) => i.to_string(),
        Choice::Yes => String::from("yes"),
        Choice::Pass => String::from("pass"),
    }
}

/// All values of a base, in order.
pub(super) fn all_of(model: &Model, base: &Base) -> std::ops::RangeInclusive<i32> {
    super::legal::values(&crate::model::Ty::of(base.clone()), &model.kinds)
}
