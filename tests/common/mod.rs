//! A tiny game made by hand, so that cases and records can be tried without rule files: pieces step to regions that are free of mountains, in turn.
#![allow(dead_code, missing_docs)]

use lawspeaker::facts::Settings;
use lawspeaker::game::*;
use lawspeaker::model::*;
use lawspeaker::rulings::{Referee, Sight};
use lawspeaker::span::Span;
use std::sync::Arc;

pub struct Tiny {
    model: Model,
    config: Config,
}

const ACTIVE: VarId = VarId(0);
const AT: VarId = VarId(1);
const HAND: VarId = VarId(3);
const REGIONS: i32 = 4;

fn text(t: &str) -> Text {
    Text { text: t.into(), translations: Vec::new() }
}

fn kind(name: &str, members: &[(&str, &str)]) -> Kind {
    let members =
        members.iter().map(|(id, name)| Member { id: (*id).into(), name: text(name), ..Member::default() }).collect();
    Kind { name: name.into(), members, ..Kind::default() }
}

fn var(name: &str, index: Option<KindId>, base: Base, optional: bool, owner: VarOwner) -> Var {
    Var {
        name: name.into(),
        label: Text::default(),
        index,
        ty: Ty { base, optional },
        owner,
        init: None,
        span: Span::default(),
        place: Place::default(),
    }
}

fn clause(head: &str, label: &str, cite: &str) -> Clause {
    Clause {
        head: head.into(),
        label: text(label),
        cites: vec![cite.into()],
        span: Span::default(),
        ability: None,
        holder: 0,
        when: Vec::new(),
        limit: None,
        openly: false,
    }
}

pub fn load(settings: &Settings) -> Result<Arc<Tiny>, String> {
    let mut model = Model { name: "tiny".into(), ..Model::default() };
    if settings.game != "tiny" {
        return Err(format!("there is no game `{}`", settings.game));
    }
    let mut frodo = kind("Character", &[("Frodo", ""), ("Sam", "Sam"), ("WitchKing", "Witch-king")]);
    let (region, character, card) = (KindId(1), KindId(2), KindId(3));
    frodo.fields = vec![
        Field { name: "at".into(), ty: Ty { base: Base::Member(region), optional: true }, store: FieldStore::Var(AT) },
        Field { name: "shown".into(), ty: Ty::of(Base::Bool), store: FieldStore::Var(VarId(2)) },
    ];
    model.kinds = vec![
        kind("Player", &[("Good", "Good"), ("Dark", "Dark")]),
        kind("Region", &[("Shire", "The Shire"), ("MistyMountains", "Misty Mountains"), ("Rohan", ""), ("Mordor", "")]),
        frodo,
        kind("Card", &[("g1", "Good 1"), ("g10", "Good 10"), ("ns", "Noble Sacrifice")]),
    ];
    model.vars = vec![
        var("active", None, Base::Member(PLAYER), false, VarOwner::Game),
        var("Character.at", Some(character), Base::Member(region), true, VarOwner::Field(character)),
        var("Character.shown", Some(character), Base::Bool, false, VarOwner::Field(character)),
        var("hand", Some(PLAYER), Base::Set(Box::new(Base::Member(card))), false, VarOwner::Pile),
        var("spent", None, Base::List(card), false, VarOwner::Pile),
        var("uses", None, Base::Range(0, 3), false, VarOwner::Game),
    ];
    lay_out(&mut model, &Frames { depth: 1, ..Frames::default() });
    model.clauses = vec![
        clause("may move", "step", "move.1"),
        clause("may not move", "mountains", "move.2"),
        clause("ends", "into Mordor", "end.1"),
        clause("never", "both lost", "setup.1"),
    ];
    model.ends = vec![End { clause: ClauseId(2), result: EndResult::Draw, beats: Vec::new() }];
    model.nevers = vec![Never { clause: ClauseId(3) }];
    model.entries = vec![Entry {
        phrase: text("{p} to move"),
        params: vec![("p".into(), Ty::of(Base::Member(PLAYER)))],
        code: CodeId(0),
        pc: 0,
        span: Span::default(),
    }];
    model.config = vec![ConfigItem {
        name: "variant_cards".into(),
        text: Text::default(),
        ty: Ty::of(Base::Bool),
        default: 0,
        choices: Vec::new(),
        cites: Vec::new(),
        span: Span::default(),
    }];
    let config = lawspeaker::facts::config_of(&model, settings)?;
    Ok(Arc::new(Tiny { model, config }))
}

pub fn tiny() -> Arc<Tiny> {
    load(&Settings { game: "tiny".into(), ..Settings::default() }).expect("the game of the tests")
}

impl Tiny {
    fn set(&self, position: &mut Position, var: VarId, index: usize, value: i32) {
        assert!(position.write(&self.model, var, index, &Value::Int(value)));
    }

    fn number(&self, position: &Position, var: VarId, index: usize) -> Option<i32> {
        position.read(&self.model, var, index).int()
    }

    fn allowed(&self, position: &Position, choice: Choice) -> bool {
        let Choice::Value(v) = choice else {
            return false;
        };
        let (who, to) = (v / REGIONS, v % REGIONS);
        let own = (who == 2) == (self.number(position, ACTIVE, 0) == Some(1));
        let at = self.number(position, AT, who as usize);
        own && at.is_some() && at != Some(to) && to != 1
    }
}

impl Evaluator for Tiny {
    fn model(&self) -> &Model {
        &self.model
    }
    fn config(&self) -> &Config {
        &self.config
    }
    fn start(&self) -> Result<Position, Fault> {
        let mut p = self.blank()?;
        self.set(&mut p, AT, 0, 0);
        self.set(&mut p, AT, 2, 2);
        Ok(p)
    }
    fn blank(&self) -> Result<Position, Fault> {
        let mut p = Position::zero(&self.model);
        self.set(&mut p, ACTIVE, 0, 0);
        for i in 0..3 {
            self.set(&mut p, VarId(2), i, 0);
        }
        self.set(&mut p, VarId(5), 0, 0);
        Ok(p)
    }
    fn enter(&self, mut p: Position, _: usize, args: &[i32]) -> Result<Position, Fault> {
        self.set(&mut p, ACTIVE, 0, args[0]);
        Ok(p)
    }
    fn status(&self, p: &Position) -> Result<Status, Fault> {
        if p.ending(&self.model).is_some() {
            return Ok(Status::Over(Outcome { ending: 0, winners: vec![0], scores: vec![5, 0] }));
        }
        Ok(Status::Decision(Question {
            seat: self.number(p, ACTIVE, 0).unwrap_or(0) as u16,
            at: (CodeId(0), 0),
            actions: Vec::new(),
            optional: false,
        }))
    }
    fn options(&self, p: &Position) -> Result<Vec<Choice>, Fault> {
        let all = self.candidates(p);
        Ok(all.into_iter().filter(|c| self.allowed(p, *c)).collect())
    }
    fn apply(&self, p: &mut Position, choice: Choice) -> Result<(), Fault> {
        if let Choice::Value(v) = choice {
            self.set(p, AT, (v / REGIONS) as usize, v % REGIONS);
            let next = 1 - self.number(p, ACTIVE, 0).unwrap_or(0);
            self.set(p, ACTIVE, 0, next);
            if v == 3 {
                p.end(&self.model, 0, 1);
            }
        }
        Ok(())
    }
}

impl Referee for Tiny {
    fn judge(&self, p: &Position, seat: u16, choice: Choice) -> Ruling {
        let mut ruling = Ruling {
            verdict: Verdict::Illegal,
            reason: Reason::NoPermission,
            deciding: Vec::new(),
            overruled: Vec::new(),
            misses: Vec::new(),
            idle: Vec::new(),
            conditions: Vec::new(),
            derived: Vec::new(),
            fault: None,
            readings: Vec::new(),
            seen: false,
        };
        let by = |id: u16| {
            vec![Considered { clause: ClauseId(id), holder: None, fate: Fate::Applies, conditions: Vec::new() }]
        };
        let active = self.number(p, ACTIVE, 0).unwrap_or(0) as u16;
        if active != seat {
            ruling.reason = Reason::NotYourDecision(Some(active));
        } else if self.allowed(p, choice) {
            ruling.verdict = Verdict::Legal;
            ruling.reason = Reason::Permitted;
            ruling.deciding = by(0);
        } else if matches!(choice, Choice::Value(v) if v % REGIONS == 1) {
            ruling.reason = Reason::Prohibited;
            ruling.deciding = by(1);
        } else {
            ruling.misses = by(0);
        }
        ruling
    }
    fn sensitivity(&self, p: &Position, seat: u16, choice: Choice, _: usize) -> Sensitivity {
        let verdict = self.judge(p, seat, choice).verdict;
        Sensitivity { verdict, table: Vec::new(), cover: Cover::All, combinations: 1, differing: 0, others: Vec::new() }
    }
    fn what_ifs(&self, _: &Position, _: u16, _: Choice, _: (usize, bool), _: &mut dyn FnMut(usize)) -> WhatIfs {
        WhatIfs::default()
    }
    fn candidates(&self, p: &Position) -> Vec<Choice> {
        match p.ending(&self.model) {
            Some(_) => Vec::new(),
            None => (0..3 * REGIONS).map(Choice::Value).collect(),
        }
    }
    fn say(&self, _: &Position, choice: Choice, _: &str) -> String {
        let Choice::Value(v) = choice else {
            return "?".into();
        };
        let name = |k: usize, m: i32| {
            let member = &self.model.kinds[k].members[m as usize];
            match member.name.text.is_empty() {
                true => member.id.clone(),
                false => member.name.text.clone(),
            }
        };
        format!("{} to {}", name(2, v / REGIONS), name(1, v % REGIONS))
    }
    fn say_seen(&self, p: &Position, _: u16, choice: Choice, lang: &str) -> String {
        self.say(p, choice, lang)
    }
    fn ask(&self, _: &Position, expression: &str) -> Result<(Value, Vec<Derived>), String> {
        Ok((Value::bool(expression.split_whitespace().eq(["1", "==", "1"])), Vec::new()))
    }
    fn nevers(&self, p: &Position) -> Result<Vec<ClauseId>, Fault> {
        let lost = |i| self.number(p, AT, i).is_none();
        Ok(if lost(0) && lost(2) { vec![ClauseId(3)] } else { Vec::new() })
    }
    fn sees(&self, p: &Position, seat: u16, what: Sight) -> Result<bool, String> {
        Ok(match what {
            Sight::Member(_, m) => (m == 2) == (seat == 1) || self.number(p, AT, m as usize) == Some(2),
            Sight::Var(var, index) => var != HAND || index == seat,
        })
    }
    fn takers(&self, _: BringId, _: u16) -> Result<Vec<u16>, Fault> {
        Ok(Vec::new())
    }
    fn list_ruling(&self, bring: BringId, seat: u16, _: &[u16]) -> Result<ListRuling, Fault> {
        Ok(ListRuling { bring, seat, verdict: Verdict::Legal, demands: Vec::new(), readings: Vec::new() })
    }
}
