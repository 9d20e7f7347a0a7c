//! A position where two clauses conflict, in words.

use crate::explain::conflict::Conflict;
use crate::explain::partial::{Domain, Entry, Partial};
use crate::game::{Fault, Position};
use crate::lexicon::value_text;
use crate::model::{Base, ClauseId, CodeId, Config, ConfigId, Model, Ty, Value, Var, VarId, VarOwner};

use super::realize::{params, pick};

/// A position where two clauses conflict.
#[derive(Clone, Debug)]
pub struct Example {
    /// The conflict.
    pub conflict: Conflict,
    /// A whole position.
    pub position: Position,
    /// The options and readings in force.
    pub config: Config,
    /// The arguments of the definition, or of the actions that the obligations require, one after the other.
    pub args: Vec<Option<i32>>,
    /// The facts of the position that matter.
    pub(super) partial: Partial,
    /// The fault that play meets there.
    pub fault: Fault,
    /// The `never`s that the position breaks.
    pub nevers: Vec<ClauseId>,
}

impl Example {
    /// The definition with its arguments: `strength(Sam)`; `None` if there are none.
    #[must_use]
    pub fn asked(&self, model: &Model, lang: &str) -> String {
        let Conflict::Values(def, _) = &self.conflict else { return String::new() };
        let Some(def) = model.defs.get(def.i()) else { return String::new() };
        let value = |(arg, (_, ty)): (&Option<i32>, &(String, Ty))| {
            value_text(model, &ty.base, &arg.map_or(Value::None, Value::Int), lang)
        };
        let args: Vec<String> = self.args.iter().zip(&def.params).map(value).collect();
        if args.is_empty() { def.name.clone() } else { format!("{}({})", def.name, args.join(", ")) }
    }

    /// The facts of the position that are needed for the conflict: `Frodo at Rohan`, `turns: 3`. Others do not matter.
    #[must_use]
    pub fn facts(&self, model: &Model, lang: &str) -> Vec<String> {
        let mut facts = Vec::new();
        for (entry, domain) in self.partial.entries() {
            facts.extend(match entry {
                Entry::Arg(i) => self.arg(model, *i, lang),
                Entry::Config(id) => self.setting(model, *id, lang),
                Entry::On(code) => on(model, *code, domain),
                Entry::Cell(var, index) => self.cell(model, *var, *index, lang),
                Entry::Item(var, index, item) => item_words(model, (*var, *index, *item), domain, lang),
                Entry::NoLegal if *domain == Domain::one(Some(1)) => Some(String::from("no action is legal")),
                Entry::NoLegal | Entry::Whole(_) => None,
            });
        }
        facts
    }

    /// An argument of the actions that obligations require; those of a definition are shown with its name.
    fn arg(&self, model: &Model, i: u16, lang: &str) -> Option<String> {
        let Conflict::Duties(_, sides) = &self.conflict else { return None };
        let params = params(model, &self.conflict);
        let (name, ty) = params.get(usize::from(i))?;
        let value = self.args.get(usize::from(i)).copied().flatten();
        let text = value_text(model, &ty.base, &value.map_or(Value::None, Value::Int), lang);
        let first = model.actions.get(sides[0].0.i()).map_or(0, |a| a.params.len());
        let which = if usize::from(i) < first { "the first asks for" } else { "the second asks for" };
        Some(format!("{which} {name} {text}"))
    }

    fn setting(&self, model: &Model, id: ConfigId, lang: &str) -> Option<String> {
        let item = model.config.get(id.i())?;
        let value = self.config.0.get(id.i()).copied()?;
        if item.is_reading() {
            let choice = usize::try_from(value).ok().and_then(|i| item.choices.get(i))?;
            return Some(format!("with {} {}", item.name, choice.name));
        }
        Some(match (&item.ty.base, value) {
            (Base::Bool, 0) => format!("with no {}", item.name),
            (Base::Bool, _) => format!("with {}", item.name),
            (base, value) => format!("with {} {}", item.name, value_text(model, base, &Value::Int(value), lang)),
        })
    }

    fn cell(&self, model: &Model, id: VarId, index: u32, lang: &str) -> Option<String> {
        let var = model.vars.get(id.i())?;
        let value = self.position.read(model, id, index as usize);
        if var.owner == VarOwner::Limit {
            let used = if value.truth() { "is used up" } else { "is not used up" };
            let clause = model.clauses.iter().position(|c| c.limit == Some(id));
            let title = clause.map_or_else(String::new, |c| model.clause_title(ClauseId(c as u16), lang));
            return Some(format!("`once per {}` of {title} {used}", model.sources.line(var.span)));
        }
        let text = value_text(model, &var.ty.base, &value, lang);
        Some(match (var.owner, &var.ty.base) {
            (VarOwner::Field(kind), base) => {
                let who = value_text(model, &Base::Member(kind), &Value::Int(index as i32), lang);
                let field = var.name.rsplit('.').next().unwrap_or(&var.name);
                match base {
                    Base::Bool if value.truth() => format!("{who} {field}"),
                    Base::Bool => format!("{who} not {field}"),
                    _ => format!("{who} {field} {text}"),
                }
            }
            _ => format!("{}: {text}", named(model, var, index, lang)),
        })
    }
}

/// `hand of Good`.
fn named(model: &Model, var: &Var, index: u32, lang: &str) -> String {
    match var.index {
        Some(kind) => {
            let of = value_text(model, &Base::Member(kind), &Value::Int(index as i32), lang);
            match var.owner {
                VarOwner::Field(_) => format!("{} of {of}", var.name.rsplit('.').next().unwrap_or(&var.name)),
                _ => format!("{} of {of}", var.name),
            }
        }
        None => var.name.clone(),
    }
}

fn on(model: &Model, code: CodeId, domain: &Domain) -> Option<String> {
    let name = &model.codes.get(code.i())?.name;
    let on = *domain == Domain::one(Some(1));
    Some(format!("{name} is {}", if on { "on" } else { "not on" }))
}

fn item_words(model: &Model, (id, index, item): (VarId, u32, u32), domain: &Domain, lang: &str) -> Option<String> {
    let var = model.vars.get(id.i())?;
    let of = match &var.ty.base {
        Base::Set(of) | Base::Bag(of) => of.as_ref().clone(),
        Base::List(kind) => Base::Member(*kind),
        _ => return None,
    };
    let lo = if let Base::Range(lo, _) = of { lo } else { 0 };
    let name = named(model, var, index, lang);
    let what = value_text(model, &of, &Value::Int(lo.saturating_add(item as i32)), lang);
    Some(match pick(domain, Some(1)) {
        Some(0) | None => format!("{name} without {what}"),
        Some(1) => format!("{name} has {what}"),
        Some(n) => format!("{name} has {n} of {what}"),
    })
}
