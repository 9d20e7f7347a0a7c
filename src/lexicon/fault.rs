//! Faults of the rules in words.

use super::{Lexicon, fill, thousands};
use crate::game::{Applied, Fault, FaultDetail, FaultKind, Needed, RulesPart};
use crate::model::{CodeId, MAX_COPIES, Model};
use crate::span::Span;

impl Fault {
    /// The fault in words, with the clauses and the place.
    #[must_use]
    pub fn words(&self, model: &Model) -> String {
        Lexicon::new(model, "").fault(self)
    }

    /// What was seen, in a sentence: `strength(Sam) is 5 by one and 2 by the other`.
    #[must_use]
    pub fn seen(&self, model: &Model) -> String {
        Lexicon::new(model, "").fault_detail(&self.detail, self.span)
    }

    /// The fault without what was seen, for a seat that may not see it.
    #[must_use]
    pub fn outline(&self, model: &Model) -> String {
        self.outlined().words(model)
    }
}

impl Lexicon<'_> {
    /// A fault with the clauses and the place.
    #[must_use]
    pub fn fault(&self, fault: &Fault) -> String {
        let words = &self.words.faults;
        let (file, line, column) = self.model.sources.place(fault.span);
        let clauses: Vec<String> = fault.clauses.iter().map(|c| self.clause(*c)).collect();
        let clauses = match clauses.is_empty() {
            true => String::new(),
            false => self.words.bracketed(&clauses.join(words.against)),
        };
        let kind = match fault.kind {
            FaultKind::Conflict => words.conflict,
            FaultKind::Gap => words.gap,
            FaultKind::OutOfRange => words.out_of_range,
            FaultKind::Nothing => words.nothing,
            FaultKind::Endless => words.endless,
            FaultKind::TooLong => words.too_long,
            FaultKind::BadPosition => words.bad_position,
        };
        let place = format!("{file}:{line}:{column}");
        fill(words.line, &[kind, &self.fault_detail(&fault.detail, fault.span), &clauses, &place])
    }

    /// What was seen of a fault at a place.
    #[must_use]
    pub fn fault_detail(&self, detail: &FaultDetail, span: Span) -> String {
        let words = &self.words.faults;
        let applied = |applied: &Applied| self.applied(applied);
        match detail {
            FaultDetail::Values(def, values) => self.clashing(&applied(def), &self.values(values)),
            FaultDetail::BeatEachOther(def) => fill(words.beat_each_other, &[&applied(def)]),
            FaultDetail::Undefined(def) => fill(words.undefined, &[&applied(def)]),
            FaultDetail::DefinitionTooLarge(def) => fill(words.definition_too_large, &[&applied(def)]),
            FaultDetail::TooLarge => fill(words.too_large, &[&self.model.sources.line(span)]),
            FaultDetail::NegativePrice(from, to, price) => {
                let (from, to) = (self.seen_member(*from), self.seen_member(*to));
                fill(words.negative_price, &[&from, &to, &price.to_string()])
            }
            FaultDetail::TooManyNumbers(lo, hi) => fill(words.too_many_numbers, &[&lo.to_string(), &hi.to_string()]),
            FaultDetail::NotInSet(i) => fill(words.not_in_set, &[&i.to_string()]),
            FaultDetail::CannotBe(var, value) => fill(words.cannot_be, &[self.var(*var), &self.value(value)]),
            FaultDetail::TooManyCopies(var) => fill(words.too_many_copies, &[self.var(*var), &MAX_COPIES.to_string()]),
            FaultDetail::Nothing(needed) => needed_words(self, *needed).to_owned(),
            FaultDetail::TooFewToChoose(n) => fill(words.too_few_to_choose, &[&n.to_string()]),
            FaultDetail::BecomesNothing(var) => fill(words.becomes_nothing, &[self.var(*var)]),
            FaultDetail::NotThere(var) => fill(words.not_there, &[self.var(*var)]),
            FaultDetail::NotIn(value, var) => fill(words.not_in, &[&self.value(value), self.var(*var)]),
            FaultDetail::TooFewCopies(value, var, now, wanted) => {
                fill(words.too_few_copies, &[&self.value(value), self.var(*var), &now.to_string(), &wanted.to_string()])
            }
            FaultDetail::NegativeCopies(value, var, n) => {
                fill(words.negative_copies, &[&self.value(value), self.var(*var), &n.to_string()])
            }
            FaultDetail::NotActive(code) => fill(words.not_active, &[self.procedure(*code)]),
            FaultDetail::TooDeep(code) => fill(words.too_deep, &[self.procedure(*code)]),
            FaultDetail::TooMuchWork(n) => fill(words.too_much_work, &[&thousands(u64::from(*n))]),
            FaultDetail::SamePosition(codes) => match codes.as_slice() {
                [] => words.same_position.to_owned(),
                codes => {
                    let names: Vec<&str> = codes.iter().map(|code| self.procedure(*code)).collect();
                    fill(words.same_position_through, &[&names.join(self.words.comma)])
                }
            },
            FaultDetail::TooManyOptions(n) => fill(words.too_many_options, &[&thousands(*n as u64)]),
            FaultDetail::Missing(part) => missing_words(self, *part).to_owned(),
            FaultDetail::Ahead(detail) => fill(words.ahead, &[&self.fault_detail(detail, span)]),
            other => plain_words(self, other).to_owned(),
        }
    }

    /// A definition with its arguments: `strength(Sam)`.
    #[must_use]
    pub fn applied(&self, applied: &Applied) -> String {
        let name = self.model.defs.get(applied.def.i()).map_or("?", |d| &d.name);
        match applied.args.as_slice() {
            [] => name.to_owned(),
            args => format!("{name}({})", self.values(args).join(", ")),
        }
    }

    fn clashing(&self, what: &str, values: &[String]) -> String {
        match values {
            [one, other] => fill(self.words.faults.values, &[what, one, other]),
            all => fill(self.words.faults.several_values, &[what, &all.join(self.words.comma)]),
        }
    }

    fn procedure(&self, code: CodeId) -> &str {
        self.model.codes.get(code.i()).map_or("?", |c| &c.name)
    }
}

/// What has no values in it.
fn plain_words(lexicon: &Lexicon, detail: &FaultDetail) -> &'static str {
    let words = &lexicon.words.faults;
    match detail {
        FaultDetail::Obligations => words.obligations,
        FaultDetail::Endings => words.endings,
        FaultDetail::Replacing => words.replacing,
        FaultDetail::OrderInterrupted => words.order_interrupted,
        FaultDetail::Order => words.order,
        FaultDetail::NoLegalAction => words.no_legal_action,
        FaultDetail::NoEnding => words.no_ending,
        FaultDetail::PriceTooLarge => words.price_too_large,
        FaultDetail::NoSuchSeat => words.no_such_seat,
        FaultDetail::NoSuchIndex => words.no_such_index,
        FaultDetail::NotInPile => words.not_in_pile,
        FaultDetail::NothingToChoose => words.nothing_to_choose,
        FaultDetail::NothingToDraw => words.nothing_to_draw,
        FaultDetail::Ring => words.ring,
        FaultDetail::NoDecision => words.no_decision,
        FaultDetail::NoRoom => words.no_room,
        FaultDetail::NotAtDecision => words.not_at_decision,
        FaultDetail::NoInstruction => words.no_instruction,
        FaultDetail::NoSuchEnding => words.no_such_ending,
        FaultDetail::NoSuchEntry => words.no_such_entry,
        FaultDetail::NoSuchChoice => words.no_such_choice,
        FaultDetail::Open => words.open,
        _ => words.untold,
    }
}

fn needed_words(lexicon: &Lexicon, needed: Needed) -> &'static str {
    let words = &lexicon.words.faults;
    match needed {
        Needed::Decider => words.no_decider,
        Needed::Lowest => words.no_lowest,
        Needed::Highest => words.no_highest,
        Needed::Least => words.no_least,
        Needed::Greatest => words.no_greatest,
        Needed::Index => words.no_index,
        Needed::Moved => words.no_moved,
        Needed::Counted => words.no_counted,
        Needed::Winner => words.no_winner,
    }
}

fn missing_words(lexicon: &Lexicon, part: RulesPart) -> &'static str {
    let words = &lexicon.words.faults;
    match part {
        RulesPart::Clause => words.missing_clause,
        RulesPart::Definition => words.missing_definition,
        RulesPart::Procedure => words.missing_procedure,
        RulesPart::Variable => words.missing_variable,
        RulesPart::Hook => words.missing_hook,
    }
}
