//! What a seat sees, in words: the map, the piles, and the choices of others.

use std::collections::BTreeMap;

use lawspeaker::game::{Choice, Events, Marked, Position, SeenOption, SeenPile, SeenVariable, Told, View};
use lawspeaker::lexicon::{Lexicon, fill};
use lawspeaker::map::{self, Drawn, Near};
use lawspeaker::model::{KindId, VarId, VarOwner};
use lawspeaker::rulings;
use lawspeaker::spelling::fold;

use super::grouped::named;
use crate::cli::session::Session;

/// The eyes of a seat.
pub struct Viewer<'a> {
    session: &'a Session,
    /// Nobody's eyes see what any seat sees.
    seat: Option<u16>,
}

impl<'a> Viewer<'a> {
    /// Of a seat, or of one who looks over everybody's shoulder.
    pub fn new(session: &'a Session, seat: Option<u16>) -> Viewer<'a> {
        Viewer { session, seat }
    }

    fn view(&self, position: &Position) -> View {
        match self.seat {
            Some(seat) => self.session.rules.view(position, seat),
            None => self.session.rules.explainer().view_of_any(position),
        }
    }

    fn marks(&self, position: &Position) -> Vec<Marked> {
        match self.seat {
            Some(seat) => self.session.rules.explainer().marks(position, seat),
            None => self.session.rules.explainer().marks_of_any(position),
        }
    }

    /// The map with everything this seat sees on it, of a large one the part around some cells; empty if the game has
    /// none.
    pub fn map(&self, position: &Position, near: &Near) -> String {
        let marks = self.marks(position);
        map::board_near(self.session.model(), &self.view(position), &marks, near, &self.session.lang)
    }

    /// The map with where its cells stand.
    pub fn drawn(&self, position: &Position, near: &Near) -> Drawn {
        let marks = self.marks(position);
        map::drawn(self.session.model(), &self.view(position), &marks, near, &self.session.lang)
    }

    /// The cells that matter to whoever has these options: where the seat stands, and those that are named.
    pub fn near(&self, position: &Position, options: &[SeenOption]) -> Vec<u16> {
        // What a seat may not know is not looked at.
        let open = options.iter().filter(|o| !o.veiled).filter_map(|o| o.choices.first().copied());
        map::near(self.session.model(), &self.view(position), &open.collect::<Vec<Choice>>())
    }

    /// The cell of the map that is called so.
    pub fn cell(&self, name: &str) -> Option<u16> {
        let lexicon = Lexicon::new(self.session.model(), &self.session.lang);
        let kind = self.session.model().board.as_ref()?.kind;
        let members = self.session.model().kinds.get(kind.i())?.members.len();
        (0..members).filter_map(|i| u16::try_from(i).ok()).find(|i| fold(&lexicon.member(kind, *i)) == fold(name))
    }

    /// What a cell of the map is called.
    pub fn name_of(&self, cell: u16) -> Option<String> {
        let kind = self.session.model().board.as_ref()?.kind;
        Some(self.session.lexicon().member(kind, cell))
    }

    /// The cells that an option names, by what it says or by what its action is about.
    pub fn cells_of(&self, option: &SeenOption) -> Vec<u16> {
        let Some(choice) = option.choices.first().filter(|_| !option.veiled) else { return Vec::new() };
        match choice {
            Choice::Act(..) => map::named(self.session.model(), *choice),
            _ => self.cell(&option.text).into_iter().collect(),
        }
    }

    /// What an option costs, in brackets to stand after it; empty if it names nothing that lists are made of.
    pub fn price(&self, position: &Position, option: &SeenOption) -> String {
        let choice = option.choices.first().filter(|_| !option.veiled);
        let (Some(seat), Some(choice)) = (self.seat, choice) else { return String::new() };
        let lexicon = self.session.lexicon();
        let cost = self.session.rules.explainer().cost_of(position, seat, *choice);
        cost.map_or_else(String::new, |(costs, cost)| {
            let price = rulings::price(&lexicon, &cost.to_string(), costs.label.get(&self.session.lang));
            fill(lexicon.words.bracketed, &[&price])
        })
    }

    /// What members were brought as, if seats bring such members and this seat knows.
    pub fn brought(&self, position: &Position) -> BTreeMap<(KindId, u16), String> {
        let (model, lexicon) = (self.session.model(), self.session.lexicon());
        if model.brings.is_empty() {
            return BTreeMap::new();
        }
        let view = self.view(position);
        let members = |kind: KindId| {
            let count = model.kinds.get(kind.i()).map_or(0, |kind| kind.members.len()) as u16;
            (0..count).map(move |member| (kind, member))
        };
        let all = model.brings.iter().flat_map(|bring| members(bring.kind));
        all.filter_map(|member| Some((member, map::brought(&lexicon, &view, member)?))).collect()
    }

    /// In brackets, what the members were `brought` as that an option names, unless it calls them so; `titled` says
    /// that the first stands before it already.
    pub fn whom(&self, brought: &BTreeMap<(KindId, u16), String>, option: &SeenOption, titled: bool) -> String {
        let (model, words) = (self.session.model(), self.session.lexicon().words);
        let named = named(model, option).into_iter().filter_map(|member| brought.get(&member));
        let text = fold(&option.text);
        let unsaid = named.skip(usize::from(titled)).filter(|name| !text.contains(&fold(name)));
        let said: Vec<&str> = unsaid.map(String::as_str).collect();
        if said.is_empty() { String::new() } else { words.bracketed(&said.join(words.comma)) }
    }

    /// What the rules tell beside the board. One who sees all of what any seat sees is told what any seat is told, and
    /// when the game is over all that there is to tell.
    fn lines(&self, position: &Position) -> Vec<String> {
        let (explainer, model) = (self.session.rules.explainer(), self.session.model());
        if self.seat.is_none() && position.ending(model).is_some() {
            return explainer.beside(position, None, &self.session.lang);
        }
        let seats = model.kinds.first().map_or(0, |seats| seats.members.len()) as u16;
        let mut lines: Vec<String> = Vec::new();
        for seat in self.seat.map_or(0..seats, |seat| seat..seat + 1) {
            let told = explainer.beside(position, Some(seat), &self.session.lang);
            lines.extend(told.into_iter().filter(|line| !lines.contains(line)).collect::<Vec<_>>());
        }
        lines
    }

    /// The piles, and the variables of the game that are something: what is seen of those that the board tells, or of
    /// all.
    pub fn piles(&self, position: &Position, all: bool) -> String {
        let (piles, values) = self.pile_lines(position, all);
        let values: Vec<String> = self.lines(position).into_iter().chain(values).collect();
        let mut out = String::new();
        piles.iter().for_each(|line| map::flowed(&mut out, 0, &[line]));
        map::flowed(&mut out, 0, &values.iter().map(String::as_str).collect::<Vec<_>>());
        out
    }

    /// The same, each by itself: first what the rules tell, since not all may have room.
    pub fn told_lines(&self, position: &Position, all: bool) -> Vec<String> {
        let (piles, values) = self.pile_lines(position, all);
        self.lines(position).into_iter().chain(piles).chain(values).collect()
    }

    fn pile_lines(&self, position: &Position, all: bool) -> (Vec<String>, Vec<String>) {
        let model = self.session.model();
        let lexicon = Lexicon::new(model, &self.session.lang);
        let tells = model.board.as_ref().and_then(|b| b.tells.as_ref());
        let told = |var: VarId| tells.is_none_or(|t| t.contains(&var));
        // What only the rules need is not told where a board shows how things stand.
        let silent = |var: VarId| match (tells, model.board.is_some()) {
            (Some(tells), _) => !tells.contains(&var) && (!all || lexicon.is_internal(var)),
            (None, true) => !all || lexicon.is_internal(var),
            (None, false) => false,
        };
        let view = self.view(position);
        let (full, empty): (Vec<&SeenPile>, Vec<&SeenPile>) =
            view.piles.iter().filter(|p| all || told(p.var)).partition(|p| p.size > 0);
        let mut lines: Vec<String> = full.iter().map(|pile| lexicon.pile(&view, pile)).collect();
        // Where the board tells some, what is not told is empty.
        if !empty.is_empty() && tells.is_none() {
            let filled: Vec<VarId> = full.iter().map(|pile| pile.var).collect();
            let titles = titles(&lexicon, &empty, &filled).join(lexicon.words.comma);
            lines.push(fill(lexicon.words.play.empty, &[&titles]));
        }
        let own = |var: VarId| model.vars.get(var.i()).is_some_and(|v| v.owner == VarOwner::Game);
        let variables: Vec<&SeenVariable> = view.variables.iter().filter(|v| own(v.var) && !silent(v.var)).collect();
        let values = variables.chunk_by(|a, b| a.var == b.var).flat_map(|of| values(&lexicon, &view, of));
        (lines, values.collect())
    }

    /// A choice as this seat comes to know of it.
    pub fn told(&self, before: &Position, after: &Position, choice: Choice) -> Told {
        self.session.rules.explainer().told(self.seat, (before, after), choice, &self.session.lang)
    }

    /// What a choice led to, as this seat saw it, in short: not what `said` says already. Nobody in particular is told
    /// where something is hidden.
    pub fn outcome(&self, before: &Position, choice: Choice, said: &str) -> Vec<String> {
        self.told_of(before, choice, |lexicon, events| rulings::events_brief(lexicon, events, said))
    }

    /// The same with all conditions and values.
    pub fn events(&self, before: &Position, choice: Choice) -> Vec<String> {
        self.told_of(before, choice, rulings::events_told)
    }

    fn told_of(
        &self,
        before: &Position,
        choice: Choice,
        tell: impl FnOnce(&Lexicon, &Events) -> Vec<String>,
    ) -> Vec<String> {
        if self.seat.is_none() && self.session.model().hides() {
            return Vec::new();
        }
        let (explainer, lang) = (self.session.rules.explainer(), self.session.lang.as_str());
        let mut after = before.clone();
        let Ok(events) = explainer.apply_told(&mut after, choice, self.seat) else { return Vec::new() };
        let names = explainer.names(self.seat, (before, &after), lang);
        tell(&self.session.lexicon().calling(&names), &events)
    }

    /// The choices of which this seat is not told yet, of a game that has come to `now`.
    pub fn not_told(&self, choices: &[(&Position, Choice)], now: &Position) -> Vec<usize> {
        let explainer = self.session.rules.explainer();
        self.seat.map_or_else(Vec::new, |seat| explainer.not_told(seat, choices, now))
    }

    /// A secret choice when play has come to `now`.
    pub fn told_later(&self, before: &Position, now: &Position, choice: Choice) -> Told {
        match self.seat {
            Some(seat) => self.session.rules.explainer().told_later(seat, (before, now), choice, &self.session.lang),
            None => self.told(before, now, choice),
        }
    }
}

/// What empty piles are called: those of several members by one name, if none of them is `filled`.
fn titles(lexicon: &Lexicon, empty: &[&SeenPile], filled: &[VarId]) -> Vec<String> {
    let of = |of: &[&SeenPile]| match of {
        [first, _, ..] if !filled.contains(&first.var) => vec![lexicon.entry(first.var, None)],
        _ => of.iter().map(|pile| lexicon.entry(pile.var, pile.index)).collect(),
    };
    empty.chunk_by(|a, b| a.var == b.var).flat_map(of).collect()
}

/// The values of a variable that are something: told once, if those of all members are the same.
fn values(lexicon: &Lexicon, view: &View, of: &[&SeenVariable]) -> Vec<String> {
    match of {
        [first, rest @ ..] if !rest.is_empty() && rest.iter().all(|v| v.value == first.value) => {
            let all = SeenVariable { index: None, ..(*first).clone() };
            (!first.value.is_idle()).then(|| lexicon.variable(view, &all)).into_iter().collect()
        }
        _ => of.iter().filter(|v| !v.value.is_idle()).map(|v| lexicon.variable(view, v)).collect(),
    }
}
