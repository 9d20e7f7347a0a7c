//! A position where two clauses conflict, in words.

use crate::explain::conflict::Conflict;
use crate::explain::partial::{Domain, Entry, Partial};
use crate::game::{Fault, Position};
use crate::lexicon::{Lexicon, fill};
use crate::model::{Base, ClauseId, CodeId, Config, ConfigId, Ty, Value, Var, VarId, VarOwner, any_legal};

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
    /// The arguments of the definition, or those of all actions that the obligations require, in order.
    pub args: Vec<Option<i32>>,
    /// The facts of the position that matter.
    pub(super) partial: Partial,
    /// The fault that play meets there.
    pub fault: Fault,
    /// The `never`s that the position breaks.
    pub nevers: Vec<ClauseId>,
}

impl Example {
    /// The definition with its arguments: `strength(Sam)`; empty if it is about something else.
    #[must_use]
    pub fn asked(&self, lexicon: &Lexicon) -> String {
        let Conflict::Values(def, _) = &self.conflict else { return String::new() };
        let Some(def) = lexicon.model.defs.get(def.i()) else { return String::new() };
        let value = |(arg, (_, ty)): (&Option<i32>, &(String, Ty))| number(lexicon, &ty.base, *arg);
        let args: Vec<String> = self.args.iter().zip(&def.params).map(value).collect();
        if args.is_empty() { def.name.clone() } else { format!("{}({})", def.name, args.join(", ")) }
    }

    /// The facts of the position that are needed for the conflict: `Frodo at Rohan`, `turns: 3`. Others do not matter.
    #[must_use]
    pub fn facts(&self, lexicon: &Lexicon) -> Vec<String> {
        let mut facts = Vec::new();
        for (entry, domain) in self.partial.entries() {
            facts.extend(match entry {
                Entry::Arg(i) => self.arg(lexicon, *i),
                Entry::Config(id) => self.setting(lexicon, *id),
                Entry::On(code) => on(lexicon, *code, domain),
                Entry::Cell(var, index) => self.cell(lexicon, *var, *index),
                Entry::Item(var, index, item) => item_words(lexicon, (*var, *index, *item), domain),
                Entry::AnyLegal => {
                    let words = &lexicon.words.pairs;
                    let any = any_legal(domain.single().flatten());
                    any.map(|any| if any { words.some_legal } else { words.no_legal }.to_owned())
                }
                Entry::Whole(_) => None,
            });
        }
        facts
    }

    /// An argument of the actions that obligations require; those of a definition are shown with its name.
    fn arg(&self, lexicon: &Lexicon, i: u16) -> Option<String> {
        let Conflict::Duties(_, sides) = &self.conflict else { return None };
        let params = params(lexicon.model, &self.conflict);
        let (name, ty) = params.get(usize::from(i))?;
        let text = number(lexicon, &ty.base, self.args.get(usize::from(i)).copied().flatten());
        let first = lexicon.model.actions.get(sides[0].0.i()).map_or(0, |a| a.params.len());
        let words = &lexicon.words.pairs;
        let which = if usize::from(i) < first { words.first_asks } else { words.second_asks };
        Some(fill(which, &[name, &text]))
    }

    fn setting(&self, lexicon: &Lexicon, id: ConfigId) -> Option<String> {
        let words = &lexicon.words.pairs;
        let item = lexicon.model.config.get(id.i())?;
        let value = self.config.0.get(id.i()).copied()?;
        if item.is_reading() {
            let choice = usize::try_from(value).ok().and_then(|i| item.choices.get(i))?;
            return Some(fill(words.set, &[&item.name, &choice.name]));
        }
        Some(match (&item.ty.base, value) {
            (Base::Bool, 0) => fill(words.set_off, &[&item.name]),
            (Base::Bool, _) => fill(words.set_on, &[&item.name]),
            (base, value) => fill(words.set, &[&item.name, &number(lexicon, base, Some(value))]),
        })
    }

    fn cell(&self, lexicon: &Lexicon, id: VarId, index: u32) -> Option<String> {
        let (model, words) = (lexicon.model, &lexicon.words.pairs);
        let var = model.vars.get(id.i())?;
        let value = self.position.read(model, id, index as usize);
        if var.owner == VarOwner::Limit {
            let used = if value.truth() { words.used } else { words.unused };
            let clause = model.clauses.iter().position(|c| c.limit == Some(id));
            let title = clause.map_or_else(String::new, |c| lexicon.clause(ClauseId(c as u16)));
            return Some(fill(used, &[&model.sources.line(var.span), &title]));
        }
        let text = lexicon.known(&var.ty.base, &value);
        Some(match (var.owner, &var.ty.base) {
            (VarOwner::Field(kind), base) => {
                let who = lexicon.member(kind, index as u16);
                let field = var.name.rsplit('.').next().unwrap_or(&var.name);
                match base {
                    Base::Bool if value.truth() => fill(words.field_true, &[&who, field]),
                    Base::Bool => fill(words.field_false, &[&who, field]),
                    _ => fill(words.field, &[&who, field, &text]),
                }
            }
            _ => fill(lexicon.words.play.variable, &[&named(lexicon, var, index), &text]),
        })
    }
}

/// A number, truth or member, or nothing.
fn number(lexicon: &Lexicon, base: &Base, value: Option<i32>) -> String {
    lexicon.known(base, &value.map_or(Value::None, Value::Int))
}

/// `hand of Good`.
fn named(lexicon: &Lexicon, var: &Var, index: u32) -> String {
    let Some(kind) = var.index else { return var.name.clone() };
    let name = match var.owner {
        VarOwner::Field(_) => var.name.rsplit('.').next().unwrap_or(&var.name),
        _ => &var.name,
    };
    fill(lexicon.words.of, &[name, &lexicon.member(kind, index as u16)])
}

fn on(lexicon: &Lexicon, code: CodeId, domain: &Domain) -> Option<String> {
    let name = &lexicon.model.codes.get(code.i())?.name;
    let words = &lexicon.words.pairs;
    let on = *domain == Domain::one(Some(1));
    Some(fill(if on { words.on } else { words.not_on }, &[name]))
}

fn item_words(lexicon: &Lexicon, (id, index, item): (VarId, u32, u32), domain: &Domain) -> Option<String> {
    let var = lexicon.model.vars.get(id.i())?;
    let of = match &var.ty.base {
        Base::Set(of) | Base::Bag(of) => of.as_ref().clone(),
        Base::List(kind) => Base::Member(*kind),
        _ => return None,
    };
    let lo = if let Base::Range(lo, _) = of { lo } else { 0 };
    let name = named(lexicon, var, index);
    let what = number(lexicon, &of, Some(lo.saturating_add(item as i32)));
    let words = &lexicon.words.pairs;
    Some(match pick(domain, Some(1)) {
        Some(0) | None => fill(words.without, &[&name, &what]),
        Some(1) => fill(words.has, &[&name, &what]),
        Some(n) => fill(words.has_many, &[&name, &n.to_string(), &what]),
    })
}
