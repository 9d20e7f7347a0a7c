//! Rules to model: names, types, clauses. All errors in rule files are found and reported here.
//!
//! In: the files of a game and the variants wanted. Out: all diagnostics, and the model if none of them is an error. In
//! this order: the declarations are read and variants laid over them (`overlay`), names declared (`declare`), state,
//! definitions, clauses and procedures resolved and typed (`state`, `expr`, `clause`, `stmt`, `procedure`), and the
//! game checked as a whole (`lint`).

// The model is under construction here: what is looked up by a number was put there before, under that number.
#![allow(clippy::indexing_slicing)]

mod bags;
mod bearing;
mod board;
mod bring;
mod builder;
mod called;
mod choose;
mod clause;
mod declare;
mod diagnostic;
mod during;
mod endings;
mod exclusions;
mod expr;
mod expressions;
mod grid;
mod hooks_at;
mod kept;
mod labels;
mod links;
mod lint;
mod logic;
mod memory;
mod names;
mod notation;
mod order;
mod overlay;
mod pairs;
mod played;
mod printed;
mod procedure;
mod recovery;
mod register;
mod repeat;
mod scope;
mod seats;
mod shared_limits;
mod silence;
mod stack;
mod state;
mod stmt;
mod table;
mod template;
mod types;
mod until;
mod values;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

pub use diagnostic::{Diagnostic, Severity};
pub use expressions::Expressions;
pub use memory::Memory;
use names::Names;
pub use seats::{check_again, check_all_seats};

use crate::model::{self, Model};
use crate::span::{Source, Sources, Span};
use crate::spelling::closest;
use crate::syntax::{self, tree};

/// What the checker found.
#[derive(Debug)]
pub struct Checked {
    /// The model, if there is no error.
    pub model: Option<Model>,
    /// All diagnostics, errors first, then by place.
    pub diagnostics: Vec<Diagnostic>,
    /// The rule files, to show places.
    pub sources: Sources,
    /// The first variant that was asked for and that there is not: a fault of the one who asks.
    pub unknown_variant: Option<UnknownVariant>,
}

/// A variant that a game has not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownVariant {
    /// As it was asked for.
    pub name: String,
    /// What there is instead.
    pub help: String,
}

impl std::fmt::Display for UnknownVariant {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "there is no variant `{}`; {}", self.name, self.help)
    }
}

impl std::error::Error for UnknownVariant {}

/// Checks a game. `files` are all files of its folder, by path relative to it with `/` (`board.law`,
/// `variants/open.law`, `clauses.tsv`); `variants` are the names of the variants laid over it, in order.
#[must_use]
pub fn check(files: &[(String, String)], variants: &[String]) -> Checked {
    remembering(files, variants, &mut Memory::default())
}

/// The same with what was read before.
fn remembering(files: &[(String, String)], variants: &[String], memory: &mut Memory) -> Checked {
    let checked = seated(files, variants, Some(usize::MAX), memory);
    let playing = |m: &Model| m.seating.is_some_and(|s| s.usual != s.most);
    match checked.model.as_ref().is_some_and(playing) {
        true => Checked { diagnostics: checked.diagnostics, ..seated(files, variants, None, memory) },
        false => checked,
    }
}

/// The same for a number of seats, where an option says how many play; `None` for the default of the option.
#[must_use]
pub fn check_seated(files: &[(String, String)], variants: &[String], seats: Option<usize>) -> Checked {
    seated(files, variants, seats, &mut Memory::default())
}

fn seated(files: &[(String, String)], variants: &[String], seats: Option<usize>, memory: &mut Memory) -> Checked {
    let kept = std::mem::take(memory);
    let mut checker = Checker { files: files.to_vec(), seats, memory: kept, ..Checker::default() };
    let rules = checker.read(variants);
    let begins = checker.beginning();
    if !checker.recalls(&rules, variants, &begins) {
        let decls = checker.laid_over(&rules, variants);
        checker.run(&decls);
        checker.remember(rules, variants, begins);
    }
    *memory = std::mem::take(&mut checker.memory);
    checker.finish()
}

/// The names of the variants that a game's files hold, in order.
#[must_use]
pub fn variants(files: &[(String, String)]) -> Vec<String> {
    variants_again(&mut Memory::default(), files)
}

/// The same for files that were read before.
#[must_use]
pub fn variants_again(memory: &mut Memory, files: &[(String, String)]) -> Vec<String> {
    let mut checker = Checker { files: files.to_vec(), memory: std::mem::take(memory), ..Checker::default() };
    let _ = checker.read(&[]);
    *memory = std::mem::take(&mut checker.memory);
    checker.other_variants.sort();
    checker.other_variants.dedup();
    checker.other_variants
}

/// The files that say the rules with some variants: those of other variants are left out.
#[must_use]
pub fn in_force(files: &[(String, String)], variants: &[String]) -> Vec<(String, String)> {
    let read = |name: &str, text: &str| {
        !name.ends_with(".law") || {
            let of = variant_of(name, declared(&syntax::parse(0, text).0));
            of.is_none_or(|variant| variants.contains(&variant))
        }
    };
    files.iter().filter(|(name, text)| read(name, text)).cloned().collect()
}

/// The variant that a rule file says it is.
fn declared(tree: &tree::File) -> Option<String> {
    tree.decls.iter().find_map(|d| match &d.kind {
        tree::DeclKind::Variant { name, .. } => Some(name.text.clone()),
        _ => None,
    })
}

/// The variant of a rule file: that which it says it is; in a subfolder, else that of its name.
fn variant_of(name: &str, declared: Option<String>) -> Option<String> {
    let stem = || name.rsplit('/').next().unwrap_or("").trim_end_matches(".law").replace('-', "_");
    declared.or_else(|| name.contains('/').then(stem))
}

/// Why a text outside the rule files is no expression of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExpressionError {
    /// It is not written as expressions are; what is wrong, in a sentence.
    Syntax(String),
    /// It is written as one, and the game does not take it.
    Meaning(Diagnostic),
    /// It is none.
    None,
}

impl std::fmt::Display for ExpressionError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ExpressionError::Syntax(message) => f.write_str(message),
            ExpressionError::Meaning(Diagnostic { message, help: Some(help), .. }) => write!(f, "{message} ({help})"),
            ExpressionError::Meaning(Diagnostic { message, .. }) => f.write_str(message),
            ExpressionError::None => f.write_str("not an expression"),
        }
    }
}

impl std::error::Error for ExpressionError {}

impl From<ExpressionError> for String {
    fn from(error: ExpressionError) -> String {
        error.to_string()
    }
}

/// An expression written outside the rule files (in a case), for a checked game: no locals.
///
/// # Errors
/// What is wrong with it.
pub fn expression(model: &Model, text: &str) -> Result<model::Expr, ExpressionError> {
    Expressions::new(model).expression(text)
}

/// The maximum number of errors reported for a game; the same for warnings.
const MAX_FAULTS: usize = 10_000;

/// The number of errors after which no suggestions for unknown names are made.
const MAX_GUESSES: usize = 1000;

/// The state of a check.
#[derive(Default)]
struct Checker {
    files: Vec<(String, String)>,
    model: Model,
    out: Vec<Diagnostic>,
    /// The numbers of errors and warnings reported.
    count: (usize, usize),
    /// Code, place and message of each report.
    told: BTreeSet<(&'static str, Span, String)>,
    names: Names,
    /// What was read before.
    memory: Memory,
    /// How many seats shall play, if the game leaves that to an option.
    seats: Option<usize>,
    /// The option that says how many play; the least number, the usual one, and the greatest.
    seating: Option<(String, [usize; 3])>,
    /// The members of each kind by the letters of their names, as cells of tables may write them; `None` for letters
    /// that several have.
    spelt: BTreeMap<(model::KindId, String), Option<u16>>,
    /// The index of each procedure's, action's and definition's declaration.
    procedures: BTreeMap<model::CodeId, procedure::Outline>,
    /// Calls of definitions, for finding recursion: from, to, where.
    def_calls: Vec<(model::DefId, model::DefId, Span)>,
    /// The definition whose expressions are being resolved.
    in_def: Option<model::DefId>,
    /// What asks what only a notation can.
    played: played::Played,
    /// Labels referred to by `exception to` and the like, resolved when all clauses are known.
    wanted: Vec<labels::Wanted>,
    hooks: Vec<procedure::HookOutline>,
    attached: BTreeMap<(model::CodeId, Option<usize>, model::HookTime), Vec<model::HookId>>,
    limits: BTreeMap<model::CodeId, Vec<model::VarId>>,
    action_sketches: Vec<tree::Action>,
    bearers: bearing::Bearers,
    shared_limits: Vec<shared_limits::SharedLimit>,
    ability_limits: BTreeMap<model::AbilityId, model::VarId>,
    offered: BTreeSet<model::ActionId>,
    called: BTreeSet<model::CodeId>,
    /// The procedure in which another one, or an action, begins.
    during: BTreeMap<model::CodeId, model::CodeId>,
    /// The procedures whose names definitions know.
    defined_in: BTreeMap<model::DefId, during::DefinedIn>,
    /// The variables that are kept only in a procedure, and where these are changed.
    kept: Vec<kept::Kept>,
    changed: Vec<kept::Changed>,
    /// Where procedures are begun and actions asked for.
    begun: Vec<during::Begun>,
    /// The procedures asked about with `is on`.
    asked: BTreeSet<model::CodeId>,
    /// The variants that are not laid over the game.
    other_variants: Vec<String>,
    /// The files of the variants laid over the game: house rules, which cite no rulebook.
    overlay_files: std::collections::BTreeSet<u32>,
    spares: Vec<(tree::AbilityRef, model::ClauseId, Option<model::AbilityId>)>,
    ranks: HashSet<(model::ClauseId, model::ClauseId)>,
    whiles: Vec<(model::CodeId, u16, u16, Span)>,
    /// What counts as there in a code because of an earlier instruction.
    relied: Vec<(model::CodeId, scope::Relied)>,
    /// Expressions, and parts of expressions, where a value must be there.
    needed: BTreeSet<Span>,
    /// What variants set of members that have no declaration of their own: member, field, value.
    set_later: Vec<(tree::Word, tree::Word, tree::Expr)>,
    /// Members without a declaration of their own that variants take away, and whether a table has had them.
    gone_rows: BTreeMap<String, (Span, bool)>,
    /// What a reported error left unclear.
    unclear: recovery::Unclear,
    /// The depth of the expression being resolved.
    depth: u32,
    /// An expression that is too deep has been reported.
    too_deep: bool,
    /// The first variant asked for that there is not.
    unknown_variant: Option<UnknownVariant>,
}

impl Checker {
    /// Whether a declaration stands in a variant.
    fn is_overlay(&self, span: Span) -> bool {
        self.overlay_files.contains(&span.file)
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        let told = match diagnostic.severity {
            Severity::Error => &mut self.count.0,
            Severity::Warning => &mut self.count.1,
        };
        if *told >= MAX_FAULTS {
            return;
        }
        let place = diagnostic.labels.first().map_or(Span::default(), |l| l.0);
        if self.told.insert((diagnostic.code, place, diagnostic.message.clone())) {
            *told += 1;
            if *told == MAX_FAULTS {
                let message = format!("there are {MAX_FAULTS} errors and more");
                self.out.push(Diagnostic { message, help: None, ..diagnostic.clone() });
            }
            self.out.push(diagnostic);
        }
    }

    fn error(&mut self, code: &'static str, message: impl Into<String>, span: Span, label: impl Into<String>) {
        self.report(Diagnostic::error(code, message, span, label));
    }

    /// Where a declaration begins: its first line up to its block.
    fn head(&self, span: Span) -> Span {
        let line = self.model.sources.text(span).lines().next().unwrap_or("");
        let bare = line.split("//").next().unwrap_or("");
        let bare = bare.find(" {").and_then(|at| bare.get(..at)).unwrap_or(bare).trim_end();
        Span { end: span.start + bare.len() as u32, ..span }
    }

    /// Reports an unknown name; `what` is what was wanted: `type`, `procedure`.
    fn unknown(&mut self, what: &str, word: &tree::Word) {
        if self.out.len() > MAX_GUESSES {
            return self.unknown_among(what, word, std::iter::empty());
        }
        let candidates: Vec<String> =
            self.names.all().map(|(n, ..)| n.to_string()).chain(["Bool", "Int", "Text"].map(String::from)).collect();
        self.unknown_among(what, word, candidates.iter().map(String::as_str));
    }

    fn unknown_among<'a>(&mut self, what: &str, word: &tree::Word, candidates: impl Iterator<Item = &'a str>) {
        // Its declaration has an error of its own, which is reported.
        let seat = self.unclear.names.contains("players") && word.text.starts_with(|c: char| c.is_ascii_uppercase());
        if self.unclear.names.contains(&word.text) || seat {
            return;
        }
        let known: Vec<&str> = candidates.collect();
        let message = match what {
            "name" => format!("nothing is called `{}`", word.text),
            _ => format!("there is no {what} `{}`", word.text),
        };
        let help = match closest(&word.text, known.iter().copied()) {
            Some(near) => {
                self.unclear.meant.insert(near.to_string());
                format!("did you mean `{near}`?")
            }
            None if what == "name" => "declare it: a variable with `var`, a definition with `define`".to_string(),
            None if (1..=8).contains(&known.len()) => {
                let known: Vec<String> = known.iter().map(|k| format!("`{k}`")).collect();
                format!("known here: {}", known.join(", "))
            }
            None => {
                // The message says "no field of Piece called `x`", the help "a field of Piece".
                let what = types::article(what.trim_end_matches(" called"));
                format!("declare it, or write the name of {what} that is declared")
            }
        };
        self.report(Diagnostic::error("law::unknown-name", message, word.span, "unknown").help(help));
    }

    /// Reads the rule files: those at the top of the folder, and the wanted variants.
    fn read(&mut self, variants: &[String]) -> Vec<memory::Read> {
        let mut laws: Vec<(String, String)> = self.files.iter().filter(|(n, _)| n.ends_with(".law")).cloned().collect();
        laws.sort();
        // Files of variants may be left out, and then those after them have other numbers.
        let numbered = laws.iter().take_while(|(name, _)| !name.contains('/')).count();
        self.memory.read_ahead(laws.get(..numbered).unwrap_or_default());
        let mut rules = Vec::new();
        for (name, text) in laws {
            let file = self.model.sources.files.len() as u32;
            let kept = self.memory.read(file, &name, &text);
            let said = declared(&kept.parsed.tree);
            let variant = variant_of(&name, said.clone());
            // A variant that is not asked for is not read, so its errors are not reported.
            if let Some(other) = variant.as_ref().filter(|variant| !variants.contains(variant)) {
                self.other_variants.push(other.clone());
                continue;
            }
            let faults = &kept.parsed.faults;
            for f in faults {
                self.unclear.note_broken(&text, f.span);
            }
            self.model.sources.files.push(Source { name, text });
            for f in faults.iter().filter(|f| !f.follows) {
                let mut d = Diagnostic::error("law::syntax", f.message.clone(), f.span, f.label.clone());
                d.help.clone_from(&f.help);
                self.report(d);
            }
            if let (None, Some(wanted)) = (&said, variant.as_ref().filter(|name| !self.unclear.names.contains(name))) {
                let first = kept.parsed.tree.decls.first();
                let start = first.map_or(Span { file, start: 0, end: 0 }, |d| d.span);
                self.report(
                    Diagnostic::error(
                        "law::incomplete",
                        "this file does not say which variant it is",
                        self.head(start),
                        "its first declaration",
                    )
                    .help(format!("begin it with `variant {wanted} \"...\"`")),
                );
            }
            if variant.is_some() {
                self.overlay_files.insert(file);
            }
            rules.push((variant, kept));
        }
        rules
    }

    /// The declarations of rule files that were read, with the variants laid over the others.
    fn laid_over(&mut self, rules: &[memory::Read], variants: &[String]) -> Vec<Arc<tree::Decl>> {
        let mut base = Vec::new();
        let mut overlays: BTreeMap<&str, Vec<Arc<tree::Decl>>> = BTreeMap::new();
        for (variant, kept) in rules {
            let decls = kept.parsed.tree.decls.iter().cloned();
            match variant {
                Some(variant) => overlays.entry(variant).or_default().extend(decls),
                None => base.extend(decls),
            }
        }
        for (i, wanted) in variants.iter().enumerate() {
            if variants[..i].contains(wanted) {
                continue;
            }
            match overlays.remove(wanted.as_str()) {
                Some(overlay) => self.lay_over(&mut base, &overlay),
                None => self.unknown_variant(wanted),
            }
        }
        base
    }

    fn unknown_variant(&mut self, wanted: &str) {
        let known = self.other_variants.clone();
        let help = match closest(wanted, known.iter().map(String::as_str)) {
            Some(near) => format!("did you mean `{near}`?"),
            None if known.is_empty() => "this game has no variants".to_string(),
            None => format!("the variants are: {}", known.join(", ")),
        };
        let unknown = UnknownVariant { name: wanted.to_owned(), help: help.clone() };
        self.unknown_variant.get_or_insert(unknown);
        self.report(
            Diagnostic::error(
                "law::unknown-name",
                format!("there is no variant `{wanted}`"),
                Span::default(),
                "of the game that begins here",
            )
            .help(help),
        );
    }

    fn run(&mut self, decls: &[Arc<tree::Decl>]) {
        self.declare(decls);
        // A second declaration of a name is reported and otherwise ignored.
        let second = |d: &&Arc<tree::Decl>| d.kind.name().is_none_or(|word| !self.unclear.second.contains(&word.span));
        let kept: Vec<Arc<tree::Decl>>;
        let decls = if self.unclear.second.is_empty() {
            decls
        } else {
            kept = decls.iter().filter(second).cloned().collect();
            &kept[..]
        };
        self.things(decls);
        self.outline_procedures(decls);
        self.definitions(decls);
        self.brings(decls);
        self.clauses(decls);
        self.build_codes(decls);
        self.rest(decls);
        self.resolve_wanted();
        self.tell_apart();
        self.check_played();
        self.lint();
    }

    fn finish(mut self) -> Checked {
        self.out.sort_by_key(|d| (d.severity, d.labels.first().map(|l| l.0), d.code));
        let sound = !self.out.iter().any(|d| d.severity == Severity::Error);
        let sources = self.model.sources.clone();
        let model = sound.then_some(self.model);
        Checked { model, diagnostics: self.out, sources, unknown_variant: self.unknown_variant }
    }
}
