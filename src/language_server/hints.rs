//! What is shown in the text of rules and cases: colours, layers and ranks of clauses, and what can be run.

use std::collections::HashMap;
use std::fmt::Write as _;

use serde_json::{Value as Json, json};

use super::asked::Place;
use super::hover::{find, thing};
use super::names::{Role, Word};
use super::{FAILED, Game, Refusal, Server, place};
use crate::casebook::{self, Case, Section};
use crate::exceptions::{self, Branch, Note, Role as Rank};
use crate::facts::{self, Settings};
use crate::game::Position;
use crate::map;
use crate::model::{ClauseId, Layer, Model};
use crate::record;
use crate::rules::Rules;
use crate::syntax::{self, Sort};

/// What words of rules are, in the order of the numbers that stand for it.
pub(super) const TOKEN_TYPES: [&str; 12] = [
    "comment",
    "keyword",
    "class",
    "enumMember",
    "property",
    "variable",
    "function",
    "method",
    "parameter",
    "string",
    "number",
    "decorator",
];

/// What can be run.
pub(super) const COMMANDS: [&str; 3] = ["lawspeaker.runCase", "lawspeaker.showBoard", "lawspeaker.replay"];

impl Place<'_> {
    /// What each word is, as numbers: lines and units from the word before, length, what it is, whether it is declared
    /// there.
    pub fn tokens(&self) -> Json {
        let text = self.text();
        let words: HashMap<usize, &Word> = self.game.index.of(self.file).iter().map(|w| (w.start, w)).collect();
        let mut data: Vec<usize> = Vec::new();
        let (mut byte, mut line, mut units, mut before) = (0, 0, 0, (0, 0));
        for token in syntax::tokens(text) {
            let word = words.get(&token.at.start).copied();
            let Some(kind) = self.token(token.sort, word) else { continue };
            let Some(between) = text.get(byte..token.at.start) else { continue };
            for c in between.chars() {
                (line, units) = if c == '\n' { (line + 1, 0) } else { (line, units + c.len_utf16()) };
            }
            byte = token.at.start;
            let length = text.get(token.at.clone()).map_or(0, |t| t.encode_utf16().count());
            let across = if line == before.0 { units - before.1 } else { units };
            let declared = word.is_some_and(|w| w.declares.is_some());
            data.extend([line - before.0, across, length, kind, usize::from(declared)]);
            before = (line, units);
        }
        json!({ "data": data })
    }

    fn token(&self, sort: Sort, word: Option<&Word>) -> Option<usize> {
        let role = word.filter(|w| !w.local).and_then(|w| self.game.index.role(&w.text));
        let name = match (word, role) {
            (Some(word), _) if word.local => "parameter",
            (_, Some(Role::Kind)) => "class",
            (_, Some(Role::Member)) => "enumMember",
            (_, Some(Role::Field)) => "property",
            (_, Some(Role::Definition | Role::Procedure)) => "function",
            (_, Some(Role::Action)) => "method",
            _ => "variable",
        };
        let name = match sort {
            Sort::Comment => "comment",
            Sort::Keyword => "keyword",
            Sort::Name if role.is_none() => "enumMember",
            Sort::Subject if role.is_none() => "function",
            Sort::Name | Sort::Word | Sort::Subject => name,
            Sort::Text => "string",
            Sort::Number => "number",
            Sort::Cite => "decorator",
            Sort::Sign => return None,
        };
        TOKEN_TYPES.iter().position(|t| *t == name)
    }

    /// The layer and the rank of each clause in a range of lines.
    pub fn inlays(&self, params: &Json) -> Json {
        let Some(model) = &self.game.model else { return json!([]) };
        let Some(file) = self.game.unchanged(model, self.file) else { return json!([]) };
        let text = self.text();
        let bound = |key: &str| params.get("range").and_then(|r| r.get(key)).map(|p| place::byte(text, p));
        let shown = bound("start").unwrap_or(0)..=bound("end").unwrap_or(text.len());
        let mut trees: HashMap<&str, Vec<Branch>> = HashMap::new();
        let mut hints = Vec::new();
        for (clause, id) in model.clauses.iter().zip(0..) {
            let start = clause.span.start as usize;
            if clause.span.file != file || !shown.contains(&start) || clause.first.is_some() {
                continue;
            }
            let tree = trees.entry(&clause.subject).or_insert_with(|| {
                thing(model, &clause.subject).map_or_else(Vec::new, |thing| exceptions::tree(model, thing))
            });
            let words = ranked(model, tree, ClauseId(id));
            if !words.is_empty() {
                let end = super::cases::line_around(text, start).end;
                let line = text.get(start..end).unwrap_or("").trim_end().len();
                hints.push(json!({
                    "position": place::position(text, start + line), "label": words, "paddingLeft": true,
                }));
            }
        }
        Json::Array(hints)
    }

    /// What can be run in a casebook or a record.
    pub fn lenses(&self, uri: &str) -> Json {
        let (name, text) = (self.game.name(self.file), self.text());
        let lens = |line: usize, title: &str, command: &str| {
            let at = line.saturating_sub(1);
            let here = json!({ "line": at, "character": 0 });
            json!({
                "range": { "start": here, "end": here },
                "command": { "title": title, "command": command, "arguments": [uri, at] },
            })
        };
        if name.ends_with(".record") {
            let head = text.lines().position(|line| line.trim_start().starts_with("record ")).map_or(1, |n| n + 1);
            return json!([
                lens(head, "Replay this record", "lawspeaker.replay"),
                lens(head, "Show the board at its end", "lawspeaker.showBoard"),
            ]);
        }
        let (cases, _) = casebook::parse(name, text);
        let both = |case: &Case| {
            [
                lens(case.line, "Run this case", "lawspeaker.runCase"),
                lens(case.line, "Show this board", "lawspeaker.showBoard"),
            ]
        };
        cases.iter().flat_map(both).collect()
    }
}

/// The layer of a clause among those of its definition, what it beats, and what beats it, in a few words.
fn ranked(model: &Model, tree: &[Branch], id: ClauseId) -> String {
    let mut words = Vec::new();
    let def = model.defs.iter().find(|d| d.clauses.iter().any(|c| c.clause == id));
    if let Some(def) = def {
        let layers: Vec<Layer> = Layer::ALL.into_iter().filter(|l| !def.layer(*l).is_empty()).collect();
        let own = def.clauses.iter().find(|c| c.clause == id).map(|c| c.layer);
        if let Some(at) = layers.iter().position(|l| Some(*l) == own).filter(|_| layers.len() > 1) {
            words.push(format!("layer {} of {}", at + 1, layers.len()));
        }
    }
    if let Some((above, branch)) = find(tree, None, id) {
        let also = branch.notes.iter().filter_map(|note| match note {
            Note::AlsoBeats(other) => Some(*other),
            _ => None,
        });
        let beats: Vec<ClauseId> = above.filter(|_| branch.but).map(|a| a.clause).into_iter().chain(also).collect();
        let inside = |ranks: &[Rank]| -> Vec<ClauseId> {
            branch.inside.iter().filter(|b| ranks.contains(&b.role)).map(|b| b.clause).collect()
        };
        let said = [
            ("beats", beats),
            ("beaten by", inside(&[Rank::Own, Rank::Plain, Rank::General])),
            ("set aside by", inside(&[Rank::SetsAside])),
            ("silenced by", inside(&[Rank::Silences])),
        ];
        for (verb, clauses) in said.iter().filter(|(_, clauses)| !clauses.is_empty()) {
            words.push(format!("{verb} {}", named(model, clauses)));
        }
    }
    words.join(", ")
}

/// One clause by its label, several by their number.
fn named(model: &Model, clauses: &[ClauseId]) -> String {
    let label = |id: &ClauseId| model.clause(*id).map_or("", |c| c.label.text.as_str());
    match clauses {
        [one] if !label(one).is_empty() => format!("\"{}\"", label(one)),
        [_] => String::from("1 clause"),
        several => format!("{} clauses", several.len()),
    }
}

/// Carries a command out. The answer has a title and a text; a client that does not show it gets it as a message, too.
pub(super) fn execute(server: &mut Server, params: &Json) -> Result<Json, Refusal> {
    let refuse = |message: String| Refusal { code: FAILED, message };
    let command = params.get("command").and_then(Json::as_str).unwrap_or("").to_owned();
    let argument = |n: usize| params.get("arguments").and_then(|list| list.get(n));
    let path = argument(0).and_then(Json::as_str).and_then(place::path);
    let line = argument(1).and_then(Json::as_u64).and_then(|n| usize::try_from(n).ok()).unwrap_or(0);
    let Some((game, file)) = path.as_deref().and_then(|path| server.game(path)) else {
        return Err(refuse(String::from("this is no casebook or record of a game")));
    };
    let run = Run { game, name: game.name(file), text: game.text(file), line: line + 1 };
    let (title, text) = match command.as_str() {
        "lawspeaker.runCase" => run.case(),
        "lawspeaker.showBoard" if run.name.ends_with(".record") => run.last_board(),
        "lawspeaker.showBoard" => run.board(),
        "lawspeaker.replay" => run.replay(),
        _ => Err(format!("there is no command `{command}`")),
    }
    .map_err(refuse)?;
    if !server.shows_answers {
        let message = format!("{title}\n{text}");
        server.aside.push(("window/showMessage", json!({ "type": 3, "message": message })));
    }
    Ok(json!({ "title": title, "text": text }))
}

/// What is to be run.
struct Run<'g> {
    game: &'g Game,
    name: &'g str,
    text: &'g str,
    /// The line of the case, from 1.
    line: usize,
}

/// A title and a text, or why there is none.
type Told = Result<(String, String), String>;

impl Run<'_> {
    fn rules(&self, settings: &Settings) -> Result<Rules, String> {
        if self.game.book.is_none() {
            return Err(String::from("the rules have errors"));
        }
        self.game.shelf().rules(settings)
    }

    /// The case at the line, or the one above it.
    fn wanted(&self) -> Result<Case, String> {
        let (cases, faults) = casebook::parse(self.name, self.text);
        let found = cases.into_iter().rev().find(|case| case.line <= self.line);
        found.ok_or_else(|| faults.first().map_or_else(|| String::from("there is no case here"), ToString::to_string))
    }

    fn case(&self) -> Told {
        let case = self.wanted()?;
        let report = casebook::run(&case, &|settings: &Settings| self.rules(settings));
        let mut out = String::new();
        for failure in &report.failures {
            let _ = writeln!(out, "line {}: expected {}, but {}", failure.line, failure.expected, failure.got);
        }
        if !report.decided.is_empty() {
            let decided: Vec<&str> = report.decided.iter().map(String::as_str).collect();
            let _ = writeln!(out, "decided by {}", decided.join(", "));
        }
        if let Some(ruling) = &report.ruling {
            let _ = writeln!(out, "\n{}", ruling.trim_end());
        }
        let outcome = if report.passed { "passed" } else { "failed" };
        Ok((format!("{}: {outcome}", case.name), out))
    }

    fn board(&self) -> Told {
        let case = self.wanted()?;
        let rules = self.rules(&case.scene.settings.rules())?;
        let faults = |all: Vec<facts::FactFault>| all.first().map_or_else(String::new, ToString::to_string);
        let mut position = case.scene.opening_by(rules.explainer(), rules.spelt()).map_err(faults)?;
        let mut out = drawn(&rules, &position);
        let moves: Vec<facts::Move> = (case.sections.iter())
            .filter_map(|section| match section {
                Section::When(moves) => Some(moves.clone()),
                Section::Then(_) => None,
            })
            .flatten()
            .collect();
        if !moves.is_empty() {
            facts::play_moves(rules.explainer(), &mut position, &moves).map_err(|f| f.to_string())?;
            let _ = write!(out, "\nafter its last `when`:\n\n{}", drawn(&rules, &position));
        }
        Ok((case.name, out))
    }

    fn recorded(&self) -> Result<(Rules, record::Replay), String> {
        let faults = |all: Vec<facts::FactFault>| all.first().map_or_else(String::new, ToString::to_string);
        let record = record::parse(self.text).map_err(faults)?;
        let rules = self.rules(&record.settings)?;
        let replay = rules.replay(&record);
        Ok((rules, replay))
    }

    fn last_board(&self) -> Told {
        let (rules, replay) = self.recorded()?;
        let position = replay.position.as_ref().ok_or_else(|| replay.words(rules.explainer(), ""))?;
        Ok((self.name.to_owned(), drawn(&rules, position)))
    }

    fn replay(&self) -> Told {
        let (rules, replay) = self.recorded()?;
        Ok((self.name.to_owned(), replay.words(rules.explainer(), "")))
    }
}

/// The board of a position, with all that is hidden; where the game has none, its facts.
fn drawn(rules: &Rules, position: &Position) -> String {
    let referee = rules.explainer();
    let (view, marks) = (referee.view_of_all(position), referee.marks_of_all(position));
    let board = map::board(rules.model(), &view, &marks, "");
    match board.is_empty() {
        true => facts::save(referee, rules.settings(), &[], position),
        false => board,
    }
}
