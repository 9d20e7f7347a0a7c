//! The notations of a game inverted once, so that a text leads to the option written like it without writing out all of
//! them.
//!
//! A pattern is a template in which the names of arguments are looked for. Parts that depend on the position match any
//! text: for the options that are left, the referee is asked how they are written. So a pattern never decides how
//! something is written; it only saves asking.

use std::collections::{BTreeSet, HashMap};

use super::names::Names;
use crate::explain::Explainer;
use crate::game::{Args, Choice, Position};
use crate::lexicon::languages;
use crate::model::{
    Action, ActionId, Base, Chance, ChanceWhat, Choose, ChooseWhat, CodeId, Expr, ExprKind, InstrKind, KindId,
    MAX_ARGS, Model, StockAnswer, TemplatePart, VarId,
};

/// A text that takes more steps than this to match is left to the search.
const MAX_STEPS: u32 = 2_000;

/// All patterns of a game, for each question and outcome of chance in each language.
#[derive(Clone, Debug, Default)]
pub struct Patterns {
    /// In the order of [`languages`].
    languages: Vec<NotationLanguage>,
    names: Vec<Names>,
}

/// The patterns in a language.
#[derive(Clone, Debug)]
struct NotationLanguage {
    lang: String,
    /// For each code and instruction, the patterns of what can be chosen there.
    asks: Vec<Vec<Vec<Form>>>,
    /// For each action.
    actions: Vec<Pattern>,
    /// The names of everything: where in `names`.
    things: Vec<usize>,
}

/// One form of notation.
#[derive(Clone, Debug)]
enum Form {
    Act(ActionId),
    Value(Pattern),
    Yes(Pattern),
    Pass(Pattern),
}

/// What a text must be like.
#[derive(Clone, Debug)]
struct Pattern {
    pieces: Vec<Piece>,
    /// Whether a matching text certainly has this notation, with all arguments known.
    exact: bool,
    /// Whether no notation of this form has space around it.
    tidy: bool,
}

#[derive(Clone, Debug)]
enum Piece {
    Letters(Box<str>),
    /// The name of an argument.
    Name {
        arg: usize,
        names: usize,
    },
    Anything,
}

/// The arguments that a text gives.
type Bound = [Option<i32>; MAX_ARGS];

/// The options that a text may mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found {
    Nothing,
    One(Choice),
    Several,
}

impl Found {
    fn add(&mut self, choice: Choice) {
        *self = match *self {
            Found::Nothing => Found::One(choice),
            Found::One(other) if other == choice => return,
            _ => Found::Several,
        };
    }
}

impl Patterns {
    /// The patterns of a game.
    #[must_use]
    pub fn new(model: &Model) -> Patterns {
        let mut patterns = Patterns::default();
        for lang in languages(model) {
            let language = Maker { model, lang: &lang, names: &mut patterns.names, known: HashMap::new() }.language();
            patterns.languages.push(language);
        }
        patterns
    }

    /// The one option that is written exactly like a text, at the question or chance at `at`. `None` if there is none
    /// or several, or if it is not certain; then use [`read`](super::read).
    #[must_use]
    pub fn option(
        &self,
        referee: &Explainer,
        position: &Position,
        at: (CodeId, u16),
        options: &[Choice],
        text: &str,
    ) -> Option<Choice> {
        // A text of signs alone is compared in other ways.
        if text.trim() != text || !text.chars().any(char::is_alphanumeric) {
            return None;
        }
        let (first, others) = self.languages.split_first()?;
        match self.found(first, (referee, position), at, options, text)? {
            (Found::One(choice), _) => return Some(choice),
            (Found::Several, _) => return None,
            (Found::Nothing, _) => {}
        }
        let mut all = Found::Nothing;
        for language in others {
            match self.found(language, (referee, position), at, options, text)? {
                // In other languages space around a notation does not count.
                (_, false) => return None,
                (Found::One(choice), true) => all.add(choice),
                (Found::Several, true) => return None,
                (Found::Nothing, true) => {}
            }
        }
        match all {
            Found::One(choice) => Some(choice),
            _ => None,
        }
    }

    /// The one option that is written exactly like a text in a style or language: `+san`. `None` if there is none or
    /// several.
    #[must_use]
    pub fn styled(
        &self,
        (referee, position): (&Explainer, &Position),
        at: (CodeId, u16),
        options: &[Choice],
        (lang, text): (&str, &str),
    ) -> Option<Choice> {
        let language = self.languages.iter().find(|l| l.lang == lang)?;
        match self.found(language, (referee, position), at, options, text)? {
            (Found::One(choice), _) => Some(choice),
            _ => None,
        }
    }

    /// The options written like a text in a language, and whether all patterns there are exact and tidy; `None` if it
    /// took too long, or is not known.
    fn found(
        &self,
        language: &NotationLanguage,
        (referee, position): (&Explainer, &Position),
        at: (CodeId, u16),
        options: &[Choice],
        text: &str,
    ) -> Option<(Found, bool)> {
        let forms = language.asks.get(at.0.i())?.get(usize::from(at.1)).filter(|f| !f.is_empty())?;
        let mut found = Found::Nothing;
        let mut sure = true;
        let mut steps = MAX_STEPS;
        for form in forms {
            let pattern = match form {
                Form::Act(id) => language.actions.get(id.i())?,
                Form::Value(pattern) | Form::Yes(pattern) | Form::Pass(pattern) => pattern,
            };
            sure &= pattern.exact && pattern.tidy;
            // A part that is not known fits in several ways; each option is written once.
            let mut likely: BTreeSet<Choice> = BTreeSet::new();
            let mut search = Search {
                text: text.as_bytes(),
                names: &self.names,
                bound: [None; MAX_ARGS],
                things: &[],
                steps,
                fits: &mut |bound| match form.choice(bound).filter(|_| pattern.exact) {
                    Some(choice) => {
                        if options.contains(&choice) {
                            found.add(choice);
                        }
                    }
                    None => likely.extend(options.iter().filter(|o| form.agrees(**o, bound))),
                },
            };
            search.go(&pattern.pieces, 0)?;
            steps = search.steps;
            let notations = referee.notations(position, &language.lang).among(options);
            let said = |option: &Choice| notations.of(*option) == text;
            likely.into_iter().filter(said).for_each(|option| found.add(option));
        }
        Some((found, sure))
    }
}

impl Patterns {
    /// The questions that a text may answer, whatever the position: each a code and an instruction. Actions, and the
    /// words for doing nothing that every game has, do not count.
    #[must_use]
    pub fn questions(&self, text: &str) -> Vec<(CodeId, u16)> {
        let text = text.trim();
        let fits = |form: &Form, things: &[usize]| {
            let (Form::Value(pattern) | Form::Yes(pattern) | Form::Pass(pattern)) = form else { return false };
            let told = |piece: &Piece| match piece {
                Piece::Letters(letters) => !StockAnswer::is_word(letters),
                Piece::Name { .. } => true,
                Piece::Anything => false,
            };
            if !pattern.pieces.iter().any(told) {
                return false;
            }
            let mut found = false;
            let mut search = Search {
                text: text.as_bytes(),
                names: &self.names,
                bound: [None; MAX_ARGS],
                things,
                steps: MAX_STEPS,
                fits: &mut |_| found = true,
            };
            let _ = search.go(&pattern.pieces, 0);
            found
        };
        let mut found = Vec::new();
        for language in &self.languages {
            for (code, instrs) in language.asks.iter().enumerate() {
                let asked = instrs
                    .iter()
                    .enumerate()
                    .filter(|(_, forms)| forms.iter().any(|form| fits(form, &language.things)));
                found.extend(asked.map(|(pc, _)| (CodeId(code as u16), pc as u16)));
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

impl Form {
    /// The choice with these arguments, all that it has.
    fn choice(&self, bound: &Bound) -> Option<Choice> {
        match self {
            Form::Pass(_) => Some(Choice::Pass),
            Form::Yes(_) => Some(Choice::Yes),
            Form::Value(_) => bound.first().copied().flatten().map(Choice::Value),
            Form::Act(id) => {
                let count = bound.iter().take_while(|b| b.is_some()).count();
                let values: [i32; MAX_ARGS] = bound.map(Option::unwrap_or_default);
                Some(Choice::Act(*id, Args::new(values.get(..count)?)))
            }
        }
    }

    /// Whether a choice is of this form and has the arguments that are known.
    fn agrees(&self, choice: Choice, bound: &Bound) -> bool {
        match (self, choice) {
            (Form::Pass(_), Choice::Pass) | (Form::Yes(_), Choice::Yes) => true,
            (Form::Value(_), Choice::Value(value)) => bound.first().copied().flatten().is_none_or(|b| b == value),
            (Form::Act(id), Choice::Act(other, args)) => {
                *id == other && args.as_slice().iter().zip(bound).all(|(a, b)| b.is_none_or(|b| b == i32::from(*a)))
            }
            _ => false,
        }
    }
}

/// A text under a pattern.
struct Search<'a> {
    text: &'a [u8],
    names: &'a [Names],
    bound: Bound,
    /// What stands for a part that is not known: one of these names, or, if there are none, any text.
    things: &'a [usize],
    steps: u32,
    fits: &'a mut dyn FnMut(&Bound),
}

impl Search<'_> {
    /// Calls `fits` for each way in which the text from a place on matches the pieces. `None` if it took too long.
    fn go(&mut self, pieces: &[Piece], at: usize) -> Option<()> {
        self.steps = self.steps.checked_sub(1)?;
        let rest = self.text.get(at..)?;
        let Some((piece, pieces)) = pieces.split_first() else {
            if rest.is_empty() {
                (self.fits)(&self.bound);
            }
            return Some(());
        };
        match piece {
            Piece::Letters(letters) => match rest.starts_with(letters.as_bytes()) {
                true => self.go(pieces, at + letters.len()),
                false => Some(()),
            },
            Piece::Anything if !self.things.is_empty() => {
                let (all, things) = (self.names, self.things);
                let mut each = |i: &usize| all.get(*i)?.each(rest, &mut |_, len| self.go(pieces, at + len));
                things.iter().try_for_each(&mut each)
            }
            Piece::Anything => (at..=self.text.len()).try_for_each(|next| self.go(pieces, next)),
            Piece::Name { arg, names } => {
                let before = *self.bound.get(*arg)?;
                let done = self.names.get(*names)?.each(rest, &mut |value, len| {
                    if before.is_some_and(|b| b != value) {
                        return Some(());
                    }
                    *self.bound.get_mut(*arg)? = Some(value);
                    self.go(pieces, at + len)
                });
                *self.bound.get_mut(*arg)? = before;
                done
            }
        }
    }
}

/// Makes the patterns of a language. Parts that it cannot invert are `Anything`.
struct Maker<'a> {
    model: &'a Model,
    lang: &'a str,
    names: &'a mut Vec<Names>,
    /// The names made, by what they are of.
    known: HashMap<Named, Option<usize>>,
}

/// What names are of.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Named {
    Value(Base),
    Printed(KindId, usize),
}

impl Maker<'_> {
    fn language(mut self) -> NotationLanguage {
        let model = self.model;
        let actions = model.actions.iter().map(|a| self.action(a)).collect();
        let asks = model.codes.iter().map(|code| {
            let forms = code.instrs.iter().map(|instr| match &instr.kind {
                InstrKind::Choose(choose) => self.choose(choose),
                InstrKind::Chance(chance) => self.chance(chance),
                _ => Vec::new(),
            });
            forms.collect()
        });
        let asks = asks.collect();
        let kinds = (0..model.kinds.len()).map(|k| Base::Member(KindId(k as u16)));
        let things = kinds.chain([Base::Int]).filter_map(|base| match self.name(0, Named::Value(base)) {
            Piece::Name { names, .. } => Some(names),
            _ => None,
        });
        let things = things.collect();
        NotationLanguage { lang: self.lang.to_owned(), asks, actions, things }
    }

    fn choose(&mut self, choose: &Choose) -> Vec<Form> {
        let log = choose.log.get(self.lang);
        let mut forms = match &choose.what {
            ChooseWhat::Act { actions, .. } => actions.iter().map(|a| Form::Act(*a)).collect(),
            ChooseWhat::One { of, into, .. } | ChooseWhat::Several { of, into, .. } => {
                vec![Form::Value(self.value(log, of, *into))]
            }
            ChooseWhat::Number { into, .. } => vec![Form::Value(self.value(log, &Base::Int, *into))],
            ChooseWhat::Yes { .. } => {
                let pieces = match log {
                    [] => vec![letters(StockAnswer::Yes.word(self.lang))],
                    log => log.iter().map(|part| self.piece(part, &|_| None)).collect(),
                };
                vec![Form::Yes(self.pattern(pieces, 0))]
            }
        };
        let otherwise = choose.otherwise.get(self.lang);
        if matches!(choose.what, ChooseWhat::Several { .. }) {
            forms.push(Form::Pass(self.pattern(vec![letters(StockAnswer::Done.word(self.lang))], 0)));
            if !choose.optional {
                return forms;
            }
        }
        let nothing = match otherwise {
            [] => vec![letters(StockAnswer::Pass.word(self.lang))],
            otherwise => otherwise.iter().map(|part| self.piece(part, &|_| None)).collect(),
        };
        forms.push(Form::Pass(self.pattern(nothing, 0)));
        forms
    }

    fn chance(&mut self, chance: &Chance) -> Vec<Form> {
        let log = chance.log.get(self.lang);
        let pattern = match &chance.what {
            ChanceWhat::Pick { of, into, .. } | ChanceWhat::Draw { of, into, .. } => self.value(log, of, *into),
            ChanceWhat::Roll { into, .. } => self.value(log, &Base::Int, *into),
            ChanceWhat::Shuffle { pile, .. } => {
                let base = match self.model.vars.get(pile.var.i()).map(|v| &v.ty.base) {
                    Some(Base::List(kind)) => Base::Member(*kind),
                    _ => Base::Int,
                };
                let pieces = vec![self.name(0, Named::Value(base))];
                self.pattern(pieces, 1)
            }
        };
        vec![Form::Value(pattern)]
    }

    fn action(&mut self, action: &Action) -> Pattern {
        let count = action.params.len();
        let log = action.log.get(self.lang);
        if log.is_empty() {
            let mut pieces = vec![letters(&action.name)];
            for (i, (_, ty)) in action.params.iter().enumerate() {
                pieces.push(letters(if i == 0 { " " } else { ", " }));
                pieces.push(self.name(i, Named::Value(ty.base.clone())));
            }
            return self.pattern(pieces, count);
        }
        let arg = |e: &Expr| match e.kind {
            ExprKind::Local(i) if usize::from(i) < count => Some((usize::from(i), e.ty.base.clone())),
            _ => None,
        };
        let pieces = log.iter().map(|part| self.piece(part, &arg)).collect();
        self.pattern(pieces, count)
    }

    /// The notation of a value of a base that goes into a variable.
    fn value(&mut self, log: &[TemplatePart], of: &Base, into: VarId) -> Pattern {
        if log.is_empty() {
            let pieces = vec![self.name(0, Named::Value(of.clone()))];
            return self.pattern(pieces, 1);
        }
        let is = |base: &Base| match base {
            Base::Set(inner) => **inner == *of,
            base => base == of,
        };
        // Whether the variable takes every value as it is.
        let plain = self.model.vars.get(into.i()).is_some_and(|v| is(&v.ty.base));
        let arg = |e: &Expr| match e.kind {
            ExprKind::Var { var, index: None } if var == into && plain && is(&e.ty.base) => Some((0, of.clone())),
            _ => None,
        };
        let pieces = log.iter().map(|part| self.piece(part, &arg)).collect();
        self.pattern(pieces, 1)
    }

    /// A part of a template; `arg` says of which argument, and of what base, an expression is the value.
    fn piece(&mut self, part: &TemplatePart, arg: &dyn Fn(&Expr) -> Option<(usize, Base)>) -> Piece {
        let e = match part {
            TemplatePart::Text(text) => return letters(text),
            TemplatePart::Value(e) => e,
        };
        if let Some((arg, base)) = arg(e) {
            return self.name(arg, Named::Value(base));
        }
        match &e.kind {
            ExprKind::Printed { kind, field, of } => match arg(of) {
                Some((arg, Base::Member(k))) if k == *kind => self.name(arg, Named::Printed(*kind, *field)),
                _ => Piece::Anything,
            },
            _ => Piece::Anything,
        }
    }

    fn name(&mut self, arg: usize, of: Named) -> Piece {
        let (model, lang, names) = (self.model, self.lang, &mut *self.names);
        let known = self.known.entry(of.clone()).or_insert_with(|| {
            names.push(match of {
                Named::Value(base) => Names::new(model, &base, lang)?,
                Named::Printed(kind, field) => Names::printed(model, kind, field, lang)?,
            });
            Some(names.len() - 1)
        });
        match known {
            Some(names) if arg < MAX_ARGS => Piece::Name { arg, names: *names },
            _ => Piece::Anything,
        }
    }

    /// A pattern for a choice with a number of arguments.
    fn pattern(&self, pieces: Vec<Piece>, args: usize) -> Pattern {
        let may_be_empty = |piece: &Piece| match piece {
            Piece::Letters(text) => text.is_empty(),
            Piece::Name { names, .. } => self.names.get(*names).is_none_or(Names::may_be_empty),
            Piece::Anything => true,
        };
        let spaced = |piece: Option<&Piece>, space: fn(&str) -> bool| match piece {
            Some(Piece::Letters(text)) => text.is_empty() || space(text),
            Some(piece) => may_be_empty(piece),
            None => true,
        };
        // What is written without a letter is written in another way.
        if pieces.iter().all(may_be_empty) {
            return Pattern { pieces: vec![Piece::Anything], exact: false, tidy: false };
        }
        let tidy = !spaced(pieces.first(), |t| t.starts_with(char::is_whitespace))
            && !spaced(pieces.last(), |t| t.ends_with(char::is_whitespace));
        let named = |arg: usize| pieces.iter().any(|p| matches!(p, Piece::Name { arg: a, .. } if *a == arg));
        let exact = !pieces.iter().any(|p| matches!(p, Piece::Anything)) && (0..args).all(named);
        Pattern { pieces, exact, tidy }
    }
}

fn letters(text: &str) -> Piece {
    Piece::Letters(text.into())
}
