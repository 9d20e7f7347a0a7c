//! Where the marks of the board are drawn, and what is told beside it.

use super::Explainer;
use super::budget::Budget;
use super::eval::Eval;
use super::note::Silent;
use super::observer::{Observer, Sightings};
use super::reader::{Given, Reader};
use crate::game::{Marked, Position};
use crate::model::{Expr, Mark, MarkAt, Tell, TemplatePart, Value};

impl Explainer {
    /// Where the marks are drawn for a seat: where their conditions hold and look at nothing that the seat does not
    /// see. Where the rules fail to say whether one holds, it is not drawn.
    #[must_use]
    pub fn marks(&self, position: &Position, seat: u16) -> Vec<Marked> {
        let found = Sightings::default();
        self.marks_within(position, Some(Observer::new(self, position, seat).keeping(&found)))
    }

    /// Where they are drawn for a referee, who sees all.
    #[must_use]
    pub fn marks_of_all(&self, position: &Position) -> Vec<Marked> {
        self.marks_within(position, None)
    }

    fn marks_within(&self, position: &Position, observer: Option<Observer>) -> Vec<Marked> {
        let mut ev = self.at::<Silent>(position);
        ev.within = observer.filter(Observer::may_miss_something);
        let draw = |(i, mark): (usize, &Mark)| {
            ev.work = Budget::Own(0);
            match mark.at {
                MarkAt::Cells => Marked { mark: i, cells: self.marked_cells(&mut ev, mark), sides: Vec::new() },
                MarkAt::Sides(grid) => {
                    let lattice = self.model.grids.get(grid.i()).map(|g| &g.lattice);
                    let sides = lattice.map_or(Vec::new(), |l| marked_sides(&mut ev, mark, l));
                    Marked { mark: i, cells: Vec::new(), sides }
                }
            }
        };
        self.model.marks.iter().enumerate().map(draw).collect()
    }

    /// What is told beside the board, line by line: to a seat if it sees all that a line and its condition look at;
    /// without a seat to one who sees all. Where the rules fail to say it, a line is left out.
    #[must_use]
    pub fn beside(&self, position: &Position, seat: Option<u16>, lang: &str) -> Vec<String> {
        let found = Sightings::default();
        let observer = seat.map(|seat| Observer::new(self, position, seat).keeping(&found));
        let reader = match observer {
            Some(observer) => Reader::looking(self, observer, lang),
            None => Reader::referee(self, lang),
        };
        let (reader, observer) = (reader.in_prose(), observer.filter(Observer::may_miss_something));
        let mut ev = self.at::<Silent>(position);
        let mut lines = Vec::new();
        for tell in &self.model.tells {
            let kind = tell.each.and_then(|kind| self.model.kinds.get(kind.i()));
            for member in 0..kind.map_or(1, |kind| kind.members.len()) {
                let known = |kind| observer.is_none_or(|o| o.knows(kind, member as i32));
                if tell.each.is_none_or(known) {
                    lines.extend(line(&mut ev, (&reader, observer), (tell, member), lang));
                }
            }
        }
        lines
    }

    fn marked_cells(&self, ev: &mut Eval<Silent>, mark: &Mark) -> Vec<u16> {
        let kind = self.model.board.as_ref().and_then(|b| self.model.kinds.get(b.kind.i()));
        let cells = 0..kind.map_or(0, |k| k.members.len());
        cells.filter(|c| holds(ev, mark.when.as_ref(), &[*c])).map(|c| c as u16).collect()
    }
}

/// A line beside the board; `None` if it is not told.
fn line<'a>(
    ev: &mut Eval<'a, Silent>,
    (reader, observer): (&Reader<'a>, Option<Observer<'a>>),
    (tell, member): (&Tell, usize),
    lang: &str,
) -> Option<String> {
    let locals = [member];
    let locals = if tell.each.is_some() { locals.as_slice() } else { &[] };
    (ev.within, ev.work) = (observer, Budget::Own(0));
    let template = tell.text.get(lang);
    let told = holds(ev, tell.when.as_ref(), locals)
        && template.iter().all(|part| match part {
            TemplatePart::Text(_) => true,
            TemplatePart::Value(e) => is_told(ev, e, locals),
        });
    if !told {
        return None;
    }
    let text = ev.framed(|ev| {
        bind(ev, locals);
        Ok(reader.written(ev, template, &Given::nothing()))
    });
    text.ok()
}

fn marked_sides(ev: &mut Eval<Silent>, mark: &Mark, lattice: &crate::model::Lattice) -> Vec<(u16, u8)> {
    let mut found = Vec::new();
    for cell in 0..lattice.len() {
        for side in 0..lattice.shape().sides() {
            // Each side once, with the earlier cell first; then the other way.
            let Some(next) = lattice.ahead(cell, side).filter(|next| cell < *next) else {
                continue;
            };
            let when = mark.when.as_ref();
            if holds(ev, when, &[cell, next]) || holds(ev, when, &[next, cell]) {
                found.push((cell as u16, side as u8));
            }
        }
    }
    found
}

fn holds(ev: &mut Eval<Silent>, when: Option<&Expr>, locals: &[usize]) -> bool {
    let Some(when) = when else {
        return true;
    };
    ev.missed = false;
    let holds = ev.framed(|ev| {
        bind(ev, locals);
        ev.truth(when)
    });
    holds.unwrap_or(false) && !ev.missed
}

/// Whether a value can be told.
fn is_told(ev: &mut Eval<Silent>, e: &Expr, locals: &[usize]) -> bool {
    ev.missed = false;
    let value = ev.framed(|ev| {
        bind(ev, locals);
        ev.eval(e.bag().unwrap_or(e))
    });
    value.is_ok() && !ev.missed
}

fn bind(ev: &mut Eval<Silent>, locals: &[usize]) {
    for (i, local) in locals.iter().enumerate() {
        ev.set_local(i as u16, Value::Int(*local as i32));
    }
}
