//! A whole position as text: settings, facts, and moves played from there.

use super::error::MoveError;
use super::over::{self, How, Over};
use super::parse::{self, Head, Rule, head};
use super::{Fact, FactError, FactFault, MAX_FAULTS, Move, Names, Piece, Settings, read_noted, resolve, seat_named};
use crate::explain::Explainer;
use crate::game::{Choice, Evaluator, Position, Status};
use crate::model::{Model, PLAYER, VarId};
use crate::notation;
use crate::spelling::{fold, hint, list, nearest};
use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

/// The maximum number of labels that a position waives.
const MAX_WAIVERS: usize = 1000;

/// A position as it is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scene {
    /// The game and its options.
    pub settings: Settings,
    /// The facts, including the phrase with which play goes on.
    pub facts: Vec<Piece>,
    /// The labels of the `never`s that are waived.
    pub waived: Vec<Piece>,
    /// The plies made from there.
    pub moves: Vec<Move>,
    /// The line of `given`.
    pub line: usize,
}

/// A position that was read, with the rules it was read under.
#[derive(Clone, Debug)]
pub struct Given<R> {
    /// The text in parts.
    pub scene: Scene,
    /// The rules.
    pub referee: R,
    /// The position.
    pub position: Position,
}

/// Reads a position; `load` loads the rules that its first line names.
///
/// # Errors
/// All that is wrong with the text.
pub fn read<R: AsRef<Explainer>, E: fmt::Display>(
    text: &str,
    load: &dyn Fn(&Settings) -> Result<R, E>,
) -> Result<Given<R>, Vec<FactFault>> {
    let scene = Scene::parse(text)?;
    let referee = load(&scene.settings).map_err(|e| vec![FactFault::new(scene.line, 1, e.to_string())])?;
    let position = scene.position(referee.as_ref())?;
    Ok(Given { scene, referee, position })
}

/// Reads lines of a `given` or `when` section into a scene, one by one. `false` if the line opens something else.
pub(crate) fn scene_line(scene: &mut Scene, text: &str, line: usize, faults: &mut Vec<FactFault>) -> bool {
    match head(text) {
        Head::Empty => {}
        Head::Impossible => match parse::impossible(text, line) {
            Ok(labels) if scene.waived.len() + labels.len() > MAX_WAIVERS => {
                faults.push(FactFault::new(line, 1, format!("more than {MAX_WAIVERS} labels are called impossible")));
            }
            Ok(labels) => scene.waived.extend(labels.into_iter().map(|text| Piece { text, line, column: 1 })),
            Err(f) => faults.push(f),
        },
        Head::Inside => match parse::pieces(text, line) {
            Ok(pieces) => {
                for piece in pieces {
                    // On its own line it would be read as something else.
                    if matches!(head(&piece.text), Head::Inside) {
                        scene.facts.push(piece);
                    } else {
                        let message = format!("`{}` begins a part of its own and is not a fact", piece.text);
                        faults.push(FactFault::new(piece.line, piece.column, message));
                    }
                }
            }
            Err(f) => faults.push(f),
        },
        _ => return false,
    }
    true
}

impl Scene {
    /// The parts of a position's text: a `given` block, and perhaps `when` with moves.
    ///
    /// # Errors
    /// The parts that do not have this form.
    pub fn parse(text: &str) -> Result<Scene, Vec<FactFault>> {
        let mut scene = Scene::default();
        let mut faults = Vec::new();
        let mut playing = false;
        for (i, text) in text.lines().enumerate() {
            let line = i + 1;
            if faults.len() >= MAX_FAULTS {
                break;
            }
            if scene.line == 0 {
                match head(text) {
                    Head::Empty => continue,
                    Head::Given => {
                        scene.line = line;
                        match parse::header(text, line) {
                            Ok(s) => scene.settings = s,
                            Err(f) => faults.push(f),
                        }
                        continue;
                    }
                    _ => break,
                }
            }
            if playing && head(text) == Head::Inside {
                match parse::move_line(text, line) {
                    Ok(m) => scene.moves.push(m),
                    Err(f) => faults.push(f),
                }
            } else if !scene_line(&mut scene, text, line, &mut faults) {
                if head(text) == Head::When {
                    playing = true;
                    if let Err(f) = parse::section(Rule::when_line, text, line) {
                        faults.push(f);
                    }
                } else {
                    faults.push(FactFault::new(
                        line,
                        1,
                        "a position has one `given` and `when` lines after it, nothing else",
                    ));
                }
            }
        }
        if scene.line == 0 {
            faults.extend(super::header(text).err());
        }
        if faults.is_empty() { Ok(scene) } else { Err(faults) }
    }

    /// The position, moves included.
    ///
    /// # Errors
    /// All that is wrong with the facts, or the first move that cannot be made.
    pub fn position(&self, referee: &Explainer) -> Result<Position, Vec<FactFault>> {
        let mut position = self.opening(referee)?;
        play_moves(referee, &mut position, &self.moves).map_err(|f| vec![f])?;
        Ok(position)
    }

    /// The position that the facts give, before any move.
    ///
    /// # Errors
    /// All that is wrong with the facts.
    pub fn opening(&self, referee: &Explainer) -> Result<Position, Vec<FactFault>> {
        self.opening_by(referee, &Names::new(referee.model()))
    }

    /// The same with the names of the game at hand.
    ///
    /// # Errors
    /// All that is wrong with the facts.
    pub fn opening_by(&self, referee: &Explainer, names: &Names) -> Result<Position, Vec<FactFault>> {
        let model = referee.model();
        let mut faults = self.unknown_waivers(model);
        let broken = |f: crate::game::Fault| vec![FactFault::new(self.line, 1, f.words(model))];
        if self.settings.from_start {
            if let Some(fact) = self.facts.first() {
                faults.push(fact.fault("a game `from the start` has no facts"));
            }
            if !faults.is_empty() {
                return Err(faults);
            }
            return referee.start().map_err(broken);
        }
        if !self.settings.lists.is_empty() {
            let message = "lists are for a game `from the start`; a position states what each seat has";
            return Err(vec![FactFault::new(self.line, 1, message)]);
        }
        let mut position = referee.blank().map_err(broken)?;
        let mut entry: Option<(usize, Vec<i32>)> = None;
        let mut stated: HashSet<(VarId, u16)> = HashSet::new();
        let mut overs: Vec<Over<'_>> = Vec::new();
        let facts = self.spelt_out(referee, &mut faults);
        for piece in facts.iter() {
            if faults.len() >= MAX_FAULTS {
                break;
            }
            let (how, read) = understood(model, names, &piece.text);
            match read {
                Err(e) => faults.push(piece.fault(e.to_string())),
                Ok(Fact::Entry { .. }) if how.is_some() => {
                    let word = piece.text.split_whitespace().next().unwrap_or_default().to_lowercase();
                    faults.push(piece.fault(FactError::NoFactOver(word).to_string()));
                }
                Ok(Fact::Entry { entry: e, args }) => {
                    if entry.replace((e, args)).is_some() {
                        faults.push(piece.fault("where play goes on was already stated"));
                    }
                }
                Ok(fact) => {
                    if let Some(twice) = fact.entries().iter().find(|e| stated.contains(e)) {
                        let name = model.vars.get(twice.0.i()).map_or("?", |v| &v.name);
                        faults.push(piece.fault(format!("`{name}` is stated twice here")));
                    }
                    stated.extend(fact.entries());
                    match how {
                        Some(how) => overs.push(Over { piece, how, fact }),
                        None => {
                            if let Err(e) = fact.put(model, &mut position) {
                                faults.push(piece.fault(e.to_string()));
                            }
                        }
                    }
                }
            }
        }
        let Some((entry, args)) = entry else {
            if faults.is_empty() {
                let phrases: Vec<String> = model.entries.iter().map(|e| e.phrase.text.clone()).collect();
                faults.push(FactFault::new(
                    self.line,
                    1,
                    match phrases.is_empty() {
                        true => String::from(
                            "the rules have no `entry`, so no position can be written; only `from the start`",
                        ),
                        false => format!("where does play go on? Add one of: {}", list(&phrases, 12)),
                    },
                ));
            }
            return Err(faults);
        };
        if !faults.is_empty() {
            return Err(faults);
        }
        let position = match overs.first() {
            None => referee.enter(position, entry, &args).map_err(broken)?,
            Some(first) => {
                let (mut position, done) = referee.prepare(position, entry, &args).map_err(broken)?;
                if !done {
                    return Err(vec![first.piece.fault(FactError::EntryDecides.to_string())]);
                }
                faults.extend(over::put(model, &overs, &stated, &mut position));
                if !faults.is_empty() {
                    return Err(faults);
                }
                referee.go_on(position).map_err(broken)?
            }
        };
        for id in referee.nevers(&position).map_err(broken)? {
            let waived = self.waived.iter().any(|w| model.clause(id).is_some_and(|c| names_clause(c, &w.text)));
            if !waived {
                let label = model.clause(id).map_or("?", |c| c.label.text.as_str());
                faults.push(FactFault::new(
                    self.line,
                    1,
                    format!(
                        "this position cannot arise: \"{label}\" (to allow it write `given impossible \"{label}\"`)"
                    ),
                ));
            }
        }
        if faults.is_empty() { Ok(position) } else { Err(faults) }
    }

    /// The facts, with those in place of a position in a notation of the game: `fen 8/8/8/8/8/8/8/8 w - - 0 1`.
    fn spelt_out<'s>(&'s self, referee: &Explainer, faults: &mut Vec<FactFault>) -> Cow<'s, [Piece]> {
        let named = |piece: &Piece| {
            let (name, text) = piece.text.split_once(char::is_whitespace)?;
            Some((referee.model().notation(name)?, text.to_owned()))
        };
        if !self.facts.iter().any(|piece| named(piece).is_some()) {
            return Cow::Borrowed(&self.facts);
        }
        let mut all = Vec::with_capacity(self.facts.len());
        for piece in &self.facts {
            let Some((notation, text)) = named(piece) else {
                all.push(piece.clone());
                continue;
            };
            match read_noted(referee, notation, &text) {
                Ok(noted) => {
                    all.extend(noted.facts.lines().map(|line| Piece { text: line.to_owned(), ..piece.clone() }))
                }
                Err(fault) => {
                    let before = notation.name.chars().count() + 1;
                    faults.push(FactFault {
                        line: piece.line,
                        column: piece.column + before + fault.column - 1,
                        ..fault
                    });
                    // Where play goes on is not known either, which need not be said.
                    all.clear();
                    break;
                }
            }
        }
        Cow::Owned(all)
    }

    /// The labels that are waived although no `never` with that label holds at the position.
    #[must_use]
    pub fn idle_waivers(&self, referee: &Explainer, opening: &Position) -> Vec<&Piece> {
        if self.waived.is_empty() {
            return Vec::new();
        }
        let model = referee.model();
        let holding: Vec<_> =
            referee.nevers(opening).unwrap_or_default().iter().filter_map(|id| model.clause(*id)).collect();
        self.waived.iter().filter(|w| !holding.iter().any(|c| names_clause(c, &w.text))).collect()
    }

    fn unknown_waivers(&self, model: &Model) -> Vec<FactFault> {
        let nevers: Vec<_> = model.nevers.iter().filter_map(|n| model.clause(n.clause)).collect();
        self.waived
            .iter()
            .filter(|w| !nevers.iter().any(|c| names_clause(c, &w.text)))
            .map(|w| {
                let labels = nevers.iter().map(|c| c.label.text.as_str());
                let near = hint(&nearest(&w.text, labels, 2));
                w.fault(format!("no `never` is called \"{}\"{near}", w.text))
            })
            .collect()
    }
}

/// What a piece means, and whether it stands over what the entry does. A fact that begins with the name of a thing that
/// is called so is read as it stands.
fn understood(model: &Model, names: &Names, text: &str) -> (Option<How>, Result<Fact, FactError>) {
    let plain = resolve(model, names, text);
    match (over::how(text), plain) {
        (Some((how, rest)), Err(_)) => (Some(how), resolve(model, names, rest)),
        (_, plain) => (None, plain),
    }
}

fn names_clause(clause: &crate::model::Clause, text: &str) -> bool {
    let text = fold(text);
    let labels = clause.label.translations.iter().map(|(_, t)| t);
    std::iter::once(&clause.label.text).chain(labels).chain(&clause.cites).any(|t| fold(t) == text)
}

impl Fact {
    /// The variables' entries that the fact is about.
    #[must_use]
    pub fn entries(&self) -> Vec<(VarId, u16)> {
        match self {
            Fact::Is { var, indices, .. } => indices.iter().map(|i| (*var, *i)).collect(),
            Fact::Size { var, index, .. } | Fact::Has { var, index, .. } => vec![(*var, *index)],
            Fact::Entry { .. } => Vec::new(),
        }
    }
}

/// Plays moves: each must be the decision of the seat it names, and legal.
///
/// # Errors
/// The first that is not.
pub fn play_moves(referee: &Explainer, position: &mut Position, moves: &[Move]) -> Result<(), FactFault> {
    for made in moves {
        let choice = check_move((referee, referee), position, made).map_err(|e| made.fault(e.to_string()))?;
        referee.apply(position, choice).map_err(|f| made.fault(f.words(referee.model())))?;
    }
    Ok(())
}

/// The seats' names, for messages.
pub(crate) fn seat_text(model: &Model, seat: u16) -> String {
    super::unique_name(model, PLAYER, seat)
}

/// The choice that a move means, if it can be made; the evaluator says what can be, the referee why not.
pub(crate) fn check_move(
    (evaluator, referee): (&dyn Evaluator, &Explainer),
    position: &Position,
    made: &Move,
) -> Result<Choice, MoveError> {
    let model = referee.model();
    let by_chance = fold(&made.who) == "chance";
    let seat = seat_named(model, &made.who);
    if !by_chance && seat.is_none() {
        let seats = model.kinds.get(PLAYER.i()).map_or(&[][..], |k| &k.members);
        let known = seats.iter().map(|s| s.name.text.as_str()).chain(std::iter::once("chance"));
        let near = nearest(&made.who, known.clone(), 2);
        let known = known.map(str::to_owned).collect();
        return Err(MoveError::NoSuchSeat { named: made.who.clone(), known, near });
    }
    match evaluator.status(position).map_err(|f| MoveError::fault(model, f))? {
        Status::Over(_) => return Err(MoveError::Over),
        Status::Decision(q) if seat != Some(q.seat) => {
            return Err(MoveError::NotYours { seat: q.seat, name: seat_text(model, q.seat) });
        }
        Status::Chance(_) if !by_chance => return Err(MoveError::Chance),
        _ => {}
    }
    let options = evaluator.options(position);
    let choice = notation::read_among(referee, position, options.as_deref(), &made.text)?;
    let options = options.map_err(|f| MoveError::fault(model, f))?;
    if options.contains(&choice) {
        return Ok(choice);
    }
    Err(match seat {
        Some(seat) => {
            let ruling = referee.judge(position, seat, choice);
            let words = crate::rulings::text(referee, position, seat, choice, &ruling, "");
            MoveError::Illegal { seat, choice, words: words.trim_end().to_owned() }
        }
        None => MoveError::NoOutcome(choice),
    })
}
