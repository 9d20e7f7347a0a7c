//! A tiny game built by hand: two pieces race over four places; the second one may jump until it is silenced.

use super::*;
use crate::game::{Fate, Reason, Verdict};
use crate::model::*;
use crate::span::Span;

const PLACE: KindId = KindId(1);
const PIECE: KindId = KindId(2);
const ACTIVE: VarId = VarId(0);
const AT: VarId = VarId(1);
const TURNS: VarId = VarId(2);
const MOVE: ActionId = ActionId(0);

fn e(kind: ExprKind, base: Base) -> Expr {
    Expr { kind, ty: Ty::of(base), span: Span::default() }
}

fn int(i: i32) -> Expr {
    e(ExprKind::Const(Value::Int(i)), Base::Int)
}

fn local(i: u16) -> Expr {
    e(ExprKind::Local(i), Base::Int)
}

fn var(var: VarId, index: Option<Expr>, base: Base) -> Expr {
    let index = index.map(Box::new);
    Expr { ty: Ty::of(base.clone()).maybe(), ..e(ExprKind::Var { var, index }, base) }
}

fn at(piece: Expr) -> Expr {
    var(AT, Some(piece), Base::Member(PLACE))
}

fn turns() -> Expr {
    var(TURNS, None, Base::Range(0, 9))
}

fn plus(a: Expr, b: Expr) -> Expr {
    let kind = ExprKind::Arith(Arith::Add, Box::new(a), Box::new(b));
    e(kind, Base::Int)
}

fn same(a: Expr, b: Expr) -> Expr {
    e(ExprKind::Equal(Box::new(a), Box::new(b), true), Base::Bool)
}

fn least(a: Expr, i: i32) -> Expr {
    let kind = ExprKind::Compare(Order::Ge, Box::new(a), Box::new(int(i)));
    e(kind, Base::Bool)
}

fn every(kind: KindId, n: usize) -> Expr {
    let set = ExprKind::Const(Value::Set(Set::full(n)));
    e(set, Base::Set(Box::new(Base::Member(kind))))
}

fn clause(kind: ClauseKind, subject: &str, ability: bool, when: Vec<Expr>) -> Clause {
    let ability = ability.then_some(AbilityId(0));
    Clause { ability, holder: 4, when, ..Clause::new(kind, subject, Text::default(), Span::default()) }
}

fn kind(name: &str, ids: &[&str]) -> Kind {
    let member = |id: &&str| Member { id: (*id).to_owned(), ..Member::default() };
    Kind { name: name.to_owned(), members: ids.iter().map(member).collect(), ..Kind::default() }
}

fn variable(name: &str, index: Option<KindId>, ty: Ty, owner: VarOwner, init: Option<i32>) -> Var {
    Var {
        name: name.to_owned(),
        label: Text::default(),
        index,
        ty,
        owner,
        init: init.map(int),
        span: Span::default(),
        place: Place::default(),
    }
}

fn code(kind: CodeKind, vars: Vec<VarId>, instrs: Vec<InstrKind>) -> Code {
    let instr = |kind| Instr { kind, span: Span::default() };
    Code {
        name: String::from("code"),
        kind,
        params: vars.clone(),
        vars,
        nested: 1,
        active: None,
        finally: instrs.len() as u16 - 1,
        instrs: instrs.into_iter().map(instr).collect(),
        steps: Vec::new(),
        cites: Vec::new(),
        span: Span::default(),
    }
}

fn race() -> Model {
    let player = || Ty::of(Base::Member(PLAYER));
    let place = || Ty::of(Base::Member(PLACE));
    let piece = || Ty::of(Base::Member(PIECE));
    let (own, field) = (VarOwner::Code(CodeId(1)), VarOwner::Field(PIECE));
    let mut model = Model {
        kinds: vec![
            kind("Player", &["White", "Black"]),
            kind("Place", &["A", "B", "C", "D"]),
            kind("Piece", &["Pawn", "Knight"]),
        ],
        vars: vec![
            variable("active", None, player(), VarOwner::Game, Some(0)),
            variable("Piece.at", Some(PIECE), place().maybe(), field, Some(0)),
            variable("turns", None, Ty::of(Base::Range(0, 9)), VarOwner::Game, Some(0)),
            variable("move.c", None, piece(), own, None),
            variable("move.to", None, place(), own, None),
        ],
        ..Model::default()
    };
    if let Some(k) = model.kinds.get_mut(PIECE.i()) {
        k.fields.push(Field { name: String::from("at"), ty: place().maybe(), store: FieldStore::Var(AT) });
    }
    let active = || var(ACTIVE, None, Base::Member(PLAYER));
    let occupied = Domain {
        local: 3,
        set: Box::new(every(PIECE, 2)),
        of: Base::Member(PIECE),
        cond: Some(Box::new(same(at(local(3)), local(1)))),
    };
    let occupied = e(ExprKind::Quant(Quantifier::Some, occupied), Base::Bool);
    let speed = || {
        let kind = ExprKind::Call { def: DefId(0), args: vec![local(0)] };
        e(kind, Base::Int)
    };
    model.clauses = vec![
        clause(ClauseKind::Action, "move", false, vec![]),
        clause(ClauseKind::May, "forward", false, vec![same(local(1), plus(at(local(0)), speed()))]),
        clause(
            ClauseKind::May,
            "jump",
            true,
            vec![same(local(0), local(4)), same(local(1), plus(at(local(0)), int(2)))],
        ),
        clause(ClauseKind::MayNot, "occupied", false, vec![occupied]),
        clause(ClauseKind::Silence, "", false, vec![least(turns(), 2)]),
        clause(ClauseKind::Ends, "White", false, vec![same(at(int(0)), int(3))]),
        clause(ClauseKind::Ends, "draw", false, vec![least(turns(), 5)]),
        clause(ClauseKind::Define, "speed", false, vec![]),
        clause(ClauseKind::Layer(Layer::Instead), "speed", false, vec![least(turns(), 4)]),
        clause(ClauseKind::Layer(Layer::Instead), "speed", false, vec![least(turns(), 4)]),
        clause(ClauseKind::Seen, "Piece", false, vec![same(local(1), int(1))]),
    ];
    model.abilities = vec![Ability {
        label: Text::default(),
        kind: PIECE,
        holders: vec![1],
        cites: Vec::new(),
        span: Span::default(),
    }];
    model.silences = vec![Silence { clause: ClauseId(4), abilities: vec![], kind: PIECE, spares: vec![] }];
    let quicker = |clause, by| DefClause {
        clause: ClauseId(clause),
        layer: Layer::Instead,
        args: vec![None],
        value: int(by),
        beats: vec![],
    };
    model.defs = vec![Def {
        name: String::from("speed"),
        params: vec![(String::from("c"), piece())],
        ty: Ty::of(Base::Int),
        clause: ClauseId(7),
        general: Some(int(1)),
        clauses: vec![quicker(8, 1), quicker(9, 2)],
        locals: 5,
    }];
    model.actions = vec![Action {
        name: String::from("move"),
        params: vec![(String::from("c"), piece()), (String::from("to"), place())],
        by: active(),
        domain: vec![vec![same(local(0), active())], vec![]],
        log: Template::default(),
        clause: ClauseId(0),
        code: CodeId(1),
        may: [1, 2].map(|c| Permission { clause: ClauseId(c), despite: vec![] }).into(),
        may_not: vec![Prohibition { clause: ClauseId(3) }],
        must: vec![],
        locals: 5,
    }];
    let target = |var, index| Target { var, index };
    let choose = Choose {
        seat: active(),
        what: ChooseWhat::Act { actions: vec![MOVE], if_any: false },
        optional: false,
        secret: false,
        log: Template::default(),
        otherwise: Text::default(),
        cites: Vec::new(),
        clause: ClauseId(0),
    };
    let minus = ExprKind::Arith(Arith::Sub, Box::new(int(1)), Box::new(active()));
    model.codes = vec![
        code(
            CodeKind::Procedure,
            vec![],
            vec![
                InstrKind::Choose(Box::new(choose)),
                InstrKind::Set(target(ACTIVE, None), e(minus, Base::Int)),
                InstrKind::Set(target(TURNS, None), plus(turns(), int(1))),
                InstrKind::StepEnd(0),
                InstrKind::Jump(0),
                InstrKind::Return,
            ],
        ),
        code(
            CodeKind::Action(MOVE),
            vec![VarId(3), VarId(4)],
            vec![
                InstrKind::Set(
                    target(AT, Some(var(VarId(3), None, Base::Member(PIECE)))),
                    var(VarId(4), None, Base::Member(PLACE)),
                ),
                InstrKind::Return,
            ],
        ),
    ];
    let end = |clause, result| End { clause: ClauseId(clause), result, beats: vec![] };
    model.ends = vec![end(5, EndResult::Wins(int(0))), end(6, EndResult::Draw)];
    model.seen = vec![Seen { what: SeenWhat::Member(PIECE), clause: ClauseId(10) }];
    let calls = CallGraph::new(&model);
    lay_out(&mut model, &Frames { depth: 3, calls, ..Frames::default() });
    model
}

fn go(piece: i32, to: i32) -> Choice {
    Choice::Act(MOVE, Args::new(&[piece, to]))
}

#[test]
fn a_race_is_listed_judged_and_played() {
    let game = Explainer::new(Arc::new(race()), Config(vec![]));
    let mut p = game.start().unwrap();
    assert_eq!(game.options(&p).unwrap(), [go(0, 1)]);
    assert_eq!(game.candidates(&p).len(), 9);
    assert_eq!(game.say(&p, go(0, 1), ""), "move Pawn, B");
    let far = game.judge(&p, 0, go(0, 3));
    assert_eq!((far.verdict, far.reason), (Verdict::Illegal, Reason::NoPermission));
    assert_eq!(far.misses.first().map(|m| m.clause), Some(ClauseId(1)));
    let other = game.judge(&p, 0, go(1, 1));
    assert_eq!(other.reason, Reason::NoSuchAction);
    assert_eq!(other.conditions.len(), 1);
    let early = game.judge(&p, 1, go(1, 1));
    assert_eq!(early.reason, Reason::NotYourDecision(Some(0)));

    game.apply(&mut p, go(0, 1)).unwrap();
    assert_eq!(game.options(&p).unwrap(), [go(1, 2)]);
    assert_eq!(game.judge(&p, 1, go(1, 1)).reason, Reason::Prohibited);
    assert_eq!(game.judge(&p, 1, go(1, 2)).deciding.len(), 1);

    // The view of White: it does not know who is where.
    let view = game.view(&p, 0);
    let pieces = view.kinds.first().unwrap();
    assert_eq!(pieces.unknown.len(), 2);
    assert_eq!(view.question.unwrap().options, None);
    assert_eq!(game.view(&p, 1).kinds.first().unwrap().known.len(), 2);

    // The Knight then blocks White: it must choose, has nothing legal, and no ending says what then.
    let gap = game.apply(&mut p, go(1, 2)).unwrap_err();
    assert_eq!(gap.kind, FaultKind::Gap);
}

#[test]
fn silenced_abilities_and_conflicts_show() {
    let game = Explainer::new(Arc::new(race()), Config(vec![]));
    let mut p = game.start().unwrap();
    game.apply(&mut p, go(0, 1)).unwrap();
    let model = game.model();
    assert!(p.write(model, TURNS, 0, &Value::Int(2)));
    assert!(p.write(model, ACTIVE, 0, &Value::Int(1)));
    let silenced = game.judge(&p, 1, go(1, 2));
    assert_eq!(silenced.reason, Reason::NoPermission);
    let fates: Vec<&Fate> = silenced.overruled.iter().map(|c| &c.fate).collect();
    assert_eq!(fates, [&Fate::Silenced(ClauseId(4))]);
    assert!(p.write(model, TURNS, 0, &Value::Int(4)));
    let conflict = game.judge(&p, 1, go(1, 1));
    assert_eq!((conflict.verdict, conflict.reason), (Verdict::Undecided, Reason::Conflict));
    assert_eq!(conflict.deciding.len(), 2);
    assert!(conflict.fault.is_some());
    assert!(game.options(&p).is_err());
    assert_eq!(game.eval(&p, &turns()).unwrap().0, Value::Int(4));
    assert!(game.nevers(&p).unwrap().is_empty());
}

#[test]
fn endings_end_the_game() {
    let game = Explainer::new(Arc::new(race()), Config(vec![]));
    let mut p = game.start().unwrap();
    let model = game.model();
    assert!(p.write(model, AT, 0, &Value::Int(2)));
    game.apply(&mut p, go(0, 3)).unwrap();
    let Status::Over(outcome) = game.status(&p).unwrap() else {
        panic!("White should have won");
    };
    assert_eq!((outcome.winners, outcome.scores), (vec![0], vec![1, 0]));
    assert_eq!(game.judge(&p, 1, go(1, 1)).reason, Reason::GameOver);
    assert_eq!(game.view(&p, 1).winners, Some(vec![0]));
    // No position and no choice makes it panic.
    let mut bytes = p.clone();
    for i in 0..p.bytes().len() {
        for b in [1, 7, 255] {
            bytes.bytes_mut().copy_from_slice(p.bytes());
            bytes.bytes_mut()[0] = 0;
            bytes.bytes_mut()[i] = b;
            for choice in [go(0, 1), go(9, 99), Choice::Pass, Choice::Value(-1)] {
                let _ = (game.judge(&bytes, 0, choice), game.say(&bytes, choice, "ja"));
                let _ = (game.view(&bytes, 1), game.candidates(&bytes));
                let _ = game.apply(&mut bytes.clone(), choice);
            }
        }
    }
}
