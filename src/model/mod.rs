//! The checked game: every name resolved, every expression typed, the layout of a position fixed.
//!
//! Nothing is optional merely because it is not yet known: `check` builds a model only from rules without errors, and
//! the evaluators may rely on it. Values are small integers; texts and spans are kept for people only.

mod always;
mod calls;
mod clause;
mod copies;
mod counters;
mod domain;
mod effects;
mod expr;
mod field;
mod form;
mod grid;
mod hidden;
mod instr;
mod layout;
mod leads;
mod live;
mod notation;
mod set;
mod shown;
mod stock_answer;
mod value;

pub use calls::CallGraph;
pub use clause::*;
pub use copies::{Copies, exchanged, holds_members};
pub use counters::Counter;
pub use effects::Asked;
pub use expr::*;
pub use field::{Field, FieldStore};
pub use grid::*;
pub use instr::*;
pub use layout::*;
pub use leads::{Answer, Leads};
pub use live::{Facts, Known, Liveness};
pub use notation::*;
pub use set::Set;
pub use stock_answer::StockAnswer;
pub use value::*;

pub use crate::terms::{HookTime, Layer, Quantifier};

use crate::span::{Sources, Span};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[derive(serde::Serialize, serde::Deserialize)]
        pub struct $name(pub u16);
        impl $name {
            /// As an index into the model's table.
            #[must_use]
            pub fn i(self) -> usize { self.0 as usize }
        }
    )*};
}
ids! {
    /// Index into [`Model::kinds`]; kind 0 is `Player`.
    KindId,
    /// Index into [`Model::vars`].
    VarId,
    /// Index into [`Model::links`].
    LinkId,
    /// Index into [`Model::grids`].
    GridId,
    /// Index into [`Model::defs`].
    DefId,
    /// Index into [`Model::actions`].
    ActionId,
    /// Index into [`Model::codes`].
    CodeId,
    /// Index into [`Model::hooks`].
    HookId,
    /// Index into [`Model::clauses`].
    ClauseId,
    /// Index into [`Model::abilities`].
    AbilityId,
    /// Index into [`Model::config`].
    ConfigId,
    /// Index into [`Model::brings`].
    BringId,
}

/// The kind of the seats.
pub const PLAYER: KindId = KindId(0);

/// A text for people with its translations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Text {
    /// The text in the language of the rule file.
    pub text: String,
    /// Language tag and text.
    pub translations: Vec<(String, String)>,
}

/// The language of a tag that may also name a style of notation: of `ja+uci` it is `ja`.
#[must_use]
pub fn language_of(tag: &str) -> &str {
    tag.split('+').next().unwrap_or("")
}

impl Text {
    /// The text in a language, or the text of the file where it has none.
    #[must_use]
    pub fn get(&self, lang: &str) -> &str {
        let lang = language_of(lang);
        self.translations.iter().find(|(l, _)| l == lang).map_or(&self.text, |(_, t)| t)
    }

    /// Whether it is translated into a language.
    #[must_use]
    pub fn has(&self, lang: &str) -> bool {
        let lang = language_of(lang);
        self.translations.iter().any(|(l, _)| l == lang)
    }
}

/// A whole checked game.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// `confrontation`.
    pub name: String,
    /// Title for people.
    pub title: Text,
    /// The rule files, for places and quotations.
    pub sources: Sources,
    /// The register of clauses of the rulebook; empty if the game names none.
    pub register: Vec<RegisterRow>,
    /// Kinds; 0 is `Player`.
    pub kinds: Vec<Kind>,
    /// Options and readings.
    pub config: Vec<ConfigItem>,
    /// Named bundles of settings.
    pub presets: Vec<Preset>,
    /// Topology.
    pub links: Vec<Links>,
    /// Grids; each has links of its own.
    pub grids: Vec<Grid>,
    /// Everything a position stores.
    pub vars: Vec<Var>,
    /// Those of `vars` that are piles, and how they are shown.
    pub piles: Vec<VarId>,
    /// Pure definitions.
    pub defs: Vec<Def>,
    /// What players can do.
    pub actions: Vec<Action>,
    /// Everything that runs: procedures, hooks, effects of actions, entries.
    pub codes: Vec<Code>,
    /// The procedure called `play`.
    pub play: CodeId,
    /// The hooks.
    pub hooks: Vec<Hook>,
    /// The identity of every clause.
    pub clauses: Vec<Clause>,
    /// Abilities.
    pub abilities: Vec<Ability>,
    /// The silences.
    pub silences: Vec<Silence>,
    /// Who sees what.
    pub seen: Vec<Seen>,
    /// Choices that others must not see yet.
    pub secrets: Vec<Secret>,
    /// Endings.
    pub ends: Vec<End>,
    /// The score of a seat: local 0 is the seat. `None` if the winner has 1 and the others 0.
    pub score: Option<Expr>,
    /// Citations of `score`.
    pub score_cites: Vec<String>,
    /// What a position is worth to a seat, for bots: local 0 is the seat. No rule depends on it.
    pub worth: Option<Expr>,
    /// How a match is made of games.
    pub rounds: Option<Rounds>,
    /// Which option says how many seats play, if one does.
    pub seating: Option<Seating>,
    /// What seats bring to the game.
    pub brings: Vec<Bring>,
    /// Where positions written by hand begin.
    pub entries: Vec<Entry>,
    /// Notations of positions.
    pub notations: Vec<PositionNotation>,
    /// Notations of whole games.
    pub transcripts: Vec<Transcript>,
    /// Positions that cannot arise.
    pub nevers: Vec<Never>,
    /// How to draw the map.
    pub board: Option<Board>,
    /// The signs on the map.
    pub marks: Vec<Mark>,
    /// What is told beside the map.
    pub tells: Vec<Tell>,
    /// Every citation with the place that makes it. Not only clauses make citations.
    pub citations: Vec<Citation>,
    /// The kinds of which members may be alike.
    pub copies: Vec<Copies>,
    /// The bytes of a position.
    pub layout: Layout,
    /// For each definition, the depth of the definitions that it uses, in the levels of [`MAX_DEFINITION_DEPTH`].
    pub levels: Vec<u32>,
}

/// The number of seats as an option: the model has the seats that play, and the option has no other value in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seating {
    /// The option.
    pub option: ConfigId,
    /// The least number of seats.
    pub least: usize,
    /// The default.
    pub usual: usize,
    /// The greatest number.
    pub most: usize,
}

/// A row of the register of clauses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegisterRow {
    /// `char.frodo.2`.
    pub id: String,
    /// Section of the rulebook.
    pub section: String,
    /// permission, prohibition, effect, note ...
    pub kind: String,
    /// Line of the rulebook.
    pub line: String,
    /// What the clause says, in our words, in the languages in which the register says it.
    pub paraphrase: Text,
    /// What is unclear about it, and the proposed solution.
    pub ambiguity: String,
}

/// A place that cites the register.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Citation {
    /// The id cited.
    pub id: String,
    /// Where.
    pub span: Span,
    /// What cites it: `may move "forward"`, `step reveal`, `note`, `manners`.
    pub by: String,
    /// How the id is covered.
    pub role: CitationRole,
}

/// How a citation covers its clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CitationRole {
    /// By a rule.
    Rule,
    /// It says nothing of its own.
    Note,
    /// Only people can keep it.
    Manners,
}

/// A kind of thing and its members.
#[derive(Clone, Debug, Default)]
pub struct Kind {
    /// `Character`.
    pub name: String,
    /// Name for people; empty: `name`.
    pub label: Text,
    /// The members in order.
    pub members: Vec<Member>,
    /// Fields.
    pub fields: Vec<Field>,
    /// The field that names the owner.
    pub owner: Option<usize>,
    /// What its members are called in play; `None`: each by its own name.
    pub called: Option<Called>,
    /// The two kinds whose pairs its members are, in order; rules do not name such a kind.
    pub pair: Option<(KindId, KindId)>,
    /// Whether its members are hooks that are asked about; rules and facts do not name them.
    pub of_hooks: bool,
    /// Where it is declared.
    pub span: Span,
}

/// What the members of a kind are called: `called "{print}"`.
#[derive(Clone, Debug, Default)]
pub struct Called {
    /// The parts in the language of the file.
    pub parts: Vec<CalledPart>,
    /// The parts in other languages.
    pub translations: Vec<(String, Vec<CalledPart>)>,
    /// Whether members are told apart only where the game does.
    pub alike: bool,
}

/// A part of what a member is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CalledPart {
    /// A text.
    Text(String),
    /// A field of the member.
    Field(usize),
}

impl Called {
    /// The parts in a language, or those of the file where it has none.
    #[must_use]
    pub fn get(&self, lang: &str) -> &[CalledPart] {
        self.translations.iter().find(|(l, _)| l == lang).map_or(&self.parts, |(_, parts)| parts)
    }
}

/// One thing of the game.
#[derive(Clone, Debug, Default)]
pub struct Member {
    /// Its identifier, unique in the game.
    pub id: String,
    /// Its name for people.
    pub name: Text,
    /// Where it is declared.
    pub span: Span,
    /// Citations.
    pub cites: Vec<String>,
}

/// An option or a reading.
#[derive(Clone, Debug)]
pub struct ConfigItem {
    /// Its name.
    pub name: String,
    /// One line for people, or the question of a reading.
    pub text: Text,
    /// Type of its value; of a reading `Range(0, n - 1)`.
    pub ty: Ty,
    /// Default value.
    pub default: i32,
    /// The alternatives, of a reading.
    pub choices: Vec<ReadingChoice>,
    /// The options that must be off where this one is on.
    pub excludes: Vec<ConfigId>,
    /// Citations.
    pub cites: Vec<String>,
    /// Where.
    pub span: Span,
}

impl ConfigItem {
    /// Whether it is a reading.
    #[must_use]
    pub fn is_reading(&self) -> bool {
        !self.choices.is_empty()
    }
}

/// One alternative of a reading.
#[derive(Clone, Debug)]
pub struct ReadingChoice {
    /// Its name.
    pub name: String,
    /// Its reason.
    pub grounds: Text,
}

/// A named bundle of settings.
#[derive(Clone, Debug)]
pub struct Preset {
    /// Its name.
    pub name: String,
    /// One line for people.
    pub text: Text,
    /// What it fixes.
    pub settings: Vec<(ConfigId, i32)>,
}

/// The values of all options and readings in force, in the order of [`Model::config`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Config(pub Vec<i32>);

impl Model {
    /// What a position is worth to a seat, for bots: what is stated, else the score.
    #[must_use]
    pub fn worth(&self) -> Option<&Expr> {
        self.worth.as_ref().or(self.score.as_ref())
    }

    /// Pairs of options that may not both be on; the one that says so comes first.
    pub fn exclusions(&self) -> impl Iterator<Item = (ConfigId, ConfigId)> {
        let all = self.config.iter().enumerate();
        all.flat_map(|(i, item)| item.excludes.iter().map(move |other| (ConfigId(i as u16), *other)))
    }
}

impl Config {
    /// The values that a game has by itself.
    #[must_use]
    pub fn defaults(model: &Model) -> Config {
        Config(model.config.iter().map(|c| c.default).collect())
    }

    /// Two options that are on and exclude each other; the one that says so comes first.
    #[must_use]
    pub fn excluded(&self, model: &Model) -> Option<(ConfigId, ConfigId)> {
        let is_on = |id: &ConfigId| self.0.get(id.i()) == Some(&1);
        model.exclusions().find(|(a, b)| is_on(a) && is_on(b))
    }
}

/// A graph over the members of kinds.
#[derive(Clone, Debug)]
pub struct Links {
    /// Its name.
    pub name: String,
    /// Kind it leads from.
    pub from: KindId,
    /// Kind it leads to.
    pub to: KindId,
    /// For each member of `from`, where it leads.
    pub forward: Vec<Set>,
    /// For each member of `to`, where it comes from.
    pub backward: Vec<Set>,
}

/// `bring`: a list of members that a seat brings to the game.
#[derive(Clone, Debug)]
pub struct Bring {
    /// Its name.
    pub name: String,
    /// Its identity.
    pub clause: ClauseId,
    /// What its clauses call the seat, their local 0.
    pub seat: String,
    /// The kind whose members take what is brought, one each.
    pub kind: KindId,
    /// The field that says which member it is.
    pub field: VarId,
    /// The kind of what is brought.
    pub of: KindId,
    /// What the things in it cost. No rule depends on it.
    pub costs: Option<Costs>,
    /// Its sections; none if it is one list.
    pub sections: Vec<Section>,
    /// The clauses on it.
    pub demands: Vec<Demand>,
}

/// What the things in a list cost: local 0 is the seat.
#[derive(Clone, Debug)]
pub struct Costs {
    /// The cost of one; local 1 is the thing.
    pub cost: Expr,
    /// What all may cost.
    pub most: Option<Expr>,
    /// What is paid, in words.
    pub label: Text,
}

/// A section of what a seat brings: `sideboard into spare[p]`.
#[derive(Clone, Debug)]
pub struct Section {
    /// Its name.
    pub name: String,
    /// Its name for people; empty: `name`.
    pub label: Text,
    /// The pile on which those lie that take it.
    pub pile: VarId,
    /// Whether each seat has such a pile.
    pub indexed: bool,
}

/// `must` about what a seat brings.
#[derive(Clone, Debug)]
pub struct Demand {
    /// Its identity.
    pub clause: ClauseId,
    /// The condition that must hold, split at `and`.
    pub goal: Vec<Expr>,
}

/// `entry`.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The phrase, `{p}` for parameters.
    pub phrase: Text,
    /// Parameters: name and kind.
    pub params: Vec<(String, Ty)>,
    /// What it sets (its parameters are the code's).
    pub code: CodeId,
    /// Where `play` goes on.
    pub pc: u16,
    /// Where.
    pub span: Span,
}

/// `never`.
#[derive(Clone, Debug)]
pub struct Never {
    /// Its name and citations.
    pub clause: ClauseId,
}

/// How the map is drawn.
#[derive(Clone, Debug)]
pub struct Board {
    /// The kind drawn.
    pub kind: KindId,
    /// How its members are arranged.
    pub arranged: Arranged,
    /// What is told of the members that head groups; empty: all that changes.
    pub heads: Vec<Shown>,
    /// Their own fields that are told with them; `None` for all that change.
    pub with: Option<Vec<Shown>>,
    /// The pieces on it, a kind each.
    pub shows: Vec<Shows>,
    /// The variables and piles that are shown beside it; `None` for all.
    pub tells: Option<Vec<VarId>>,
}

/// How the members of the kind drawn are arranged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arranged {
    /// By two printed fields.
    Rows {
        /// The field with the row.
        row: usize,
        /// The field with the column.
        column: usize,
    },
    /// In a list, with a heading for each value of a field if there is one.
    Groups(Option<usize>),
}

/// A field that is told with a member.
#[derive(Clone, Debug)]
pub struct Shown {
    /// The field.
    pub field: usize,
    /// What is said before its value; `None`: its name.
    pub label: Option<Text>,
}

/// The pieces that a board shows.
#[derive(Clone, Debug)]
pub struct Shows {
    /// Their kind.
    pub kind: KindId,
    /// Their field of the drawn kind.
    pub at: usize,
    /// Their field of the directions of the board's grid.
    pub facing: Option<usize>,
    /// Their fields that are shown with them; `None` for all fields that are yes or no.
    pub with: Option<Vec<Shown>>,
}

impl Board {
    /// How the pieces of a kind are shown.
    #[must_use]
    pub fn shown(&self, kind: KindId) -> Option<&Shows> {
        self.shows.iter().find(|s| s.kind == kind)
    }
}

/// `mark`: a sign on the map.
#[derive(Clone, Debug)]
pub struct Mark {
    /// Where it may be drawn.
    pub at: MarkAt,
    /// The sign, one column wide.
    pub sign: char,
    /// What it means.
    pub label: Text,
    /// The condition under which it is drawn; without one it is drawn everywhere. Local 0 is the cell; for a side,
    /// locals 0 and 1 are the cells beside it.
    pub when: Option<Expr>,
}

/// `tell`: a line beside the map, or one for each member of a kind.
#[derive(Clone, Debug)]
pub struct Tell {
    /// The kind; its member is local 0.
    pub each: Option<KindId>,
    /// What is said.
    pub text: Template,
    /// The condition under which it is said; without one it always is.
    pub when: Option<Expr>,
}

/// Where a mark may be drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarkAt {
    /// In the cells of the board.
    Cells,
    /// On the sides between the cells of a grid.
    Sides(GridId),
}

/// A match of several games.
#[derive(Clone, Debug)]
pub struct Rounds {
    /// Name for people.
    pub text: Text,
    /// Sides of the match.
    pub sides: Vec<String>,
    /// For each game, for each side, the seat it takes.
    pub games: Vec<Vec<i32>>,
    /// Citations.
    pub cites: Vec<String>,
}
