//! Views: what each seat sees.

use std::sync::Arc;

use super::decision::{DecisionPoint, rest};
use super::note::Silent;
use super::observer::Sightings;
use super::{Evaluator, Explainer};
use crate::game::{
    Choice, Fault, KnownMember, Marked, Position, SeenChoice, SeenField, SeenKind, SeenMember, SeenPile, SeenQuestion,
    SeenValue, SeenVariable, UnknownMember, View,
};
use crate::model::{Base, CodeKind, FieldStore, KindId, PLAYER, Secret, SeenWhat, Value, Var, VarId, VarOwner};

/// A look at a position by one seat.
pub(super) struct ViewBuilder<'a> {
    rules: &'a Explainer,
    pub position: &'a Position,
    /// Nobody in particular: a referee, who sees all.
    seat: Option<u16>,
    /// The options, if they are known already.
    options: Option<Vec<Choice>>,
    /// For each kind whether the seat knows its members; empty: all.
    known: Vec<Arc<[bool]>>,
    /// What was found before.
    found: &'a Sightings<'a>,
}

/// What a variable is shown as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ShownAs {
    /// A variable.
    Variable,
    /// A pile, or a bag of the game.
    Pile,
}

impl Explainer {
    /// Whether a seat sees something: which member this is, or the entry of a variable. Everything is seen of which no
    /// rule says when.
    ///
    /// # Errors
    /// A fault of the rules.
    pub fn sees(&self, position: &Position, what: SeenWhat, index: usize, seat: u16) -> Result<bool, Fault> {
        if !self.model.limits_sight_of(what) {
            return Ok(true);
        }
        let mut ev = self.at::<Silent>(position);
        ev.watch = self.watch(true);
        for rule in self.model.seen.iter().filter(|s| s.what == what) {
            if rule.nobody {
                ev.decided(rule.clause);
                continue;
            }
            for holder in ev.model.holders(rule.clause) {
                ev.decided(rule.clause);
                let seen = ev.framed(|ev| {
                    ev.set_local(0, Value::Int(index as i32));
                    ev.set_local(1, Value::Int(i32::from(seat)));
                    Ok(ev.applies(rule.clause, holder)?.0)
                });
                if seen.map_err(|f| *f)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Whether a variable is a choice made in secret by another seat that is not open yet.
    #[must_use]
    pub fn secret(&self, position: &Position, var: VarId, seat: u16) -> bool {
        self.model.secrets.iter().any(|s| s.var == var && self.hides(position, s, seat))
    }

    /// Whether a variable is a choice that a block of secret choices hides from a seat.
    pub(super) fn is_in_secret(&self, position: &Position, var: VarId, seat: u16) -> bool {
        let secrets = self.model.secrets.iter().filter(|s| s.var == var && s.until.is_none());
        secrets.into_iter().any(|s| self.hides(position, s, seat))
    }

    fn hides(&self, position: &Position, secret: &Secret, seat: u16) -> bool {
        // The names of a procedure mean the innermost active one.
        let mut frames = (0..position.depth(&self.model)).rev().map(|d| position.frame(&self.model, d));
        let Some((_, pc)) = frames.find(|(code, _)| *code == secret.code) else { return false };
        let mut ev = self.at::<Silent>(position);
        let told = secret.until.as_ref().is_some_and(|until| ev.truth(until).unwrap_or(false));
        (secret.from..=secret.to).contains(&pc) && !told && {
            let maker = self.at::<Silent>(position).int(&secret.seat);
            maker.ok().flatten() != Some(i32::from(seat))
        }
    }

    /// Whether a variable is one that a view tells of: of the game, a pile, a field, or of an active procedure.
    pub(super) fn in_view(&self, position: &Position, var: VarId) -> bool {
        let model = &self.model;
        let Some(v) = model.vars.get(var.i()) else {
            return false;
        };
        match v.owner {
            VarOwner::Game | VarOwner::Field(_) | VarOwner::Pile => true,
            VarOwner::Code(code) => {
                let kind = model.codes.get(code.i()).map(|c| c.kind);
                let name = v.name.rsplit('.').next().unwrap_or("");
                kind == Some(CodeKind::Procedure) && position.active(model, code) > 0 && !name.starts_with('_')
            }
            VarOwner::Limit => false,
        }
    }

    /// For each member of a kind whose it is, as it is printed on it; `None` where nobody's.
    #[must_use]
    pub fn owners(&self, kind: KindId) -> Vec<Option<i32>> {
        let members = self.model.kinds.get(kind.i()).map_or(0, |k| k.members.len());
        (0..members as i32).map(|i| self.model.owner_of(kind, i)).collect()
    }

    /// What a seat sees of a position. Where the rules fail to say whether something is seen, it is not.
    #[must_use]
    pub fn view(&self, position: &Position, seat: u16) -> View {
        self.looked_at(position, Some(seat), None, &Sightings::default())
    }

    /// The same, if the options of the position are known already, and `found` of what the seat sees.
    #[must_use]
    pub fn view_with(&self, position: &Position, seat: u16, options: Vec<Choice>, found: &Sightings<'_>) -> View {
        self.looked_at(position, Some(seat), Some(options), found)
    }

    /// What the seat is asked at a position with these options; `found` is of what the seat sees there.
    #[must_use]
    pub fn question_with(
        &self,
        position: &Position,
        seat: u16,
        options: Vec<Choice>,
        found: &Sightings<'_>,
    ) -> Option<SeenQuestion> {
        ViewBuilder::new(self, position, Some(seat), Some(options), found).question()
    }

    /// What a referee sees: all there is.
    #[must_use]
    pub fn view_of_all(&self, position: &Position) -> View {
        self.looked_at(position, None, None, &Sightings::default())
    }

    /// What a seat sees, or all there is.
    #[must_use]
    pub fn view_for(&self, position: &Position, seat: Option<u16>) -> View {
        self.looked_at(position, seat, None, &Sightings::default())
    }

    /// What any seat sees: the views of all seats laid together.
    #[must_use]
    pub fn view_of_any(&self, position: &Position) -> View {
        let others = (1..self.seat_count()).map(|seat| self.view(position, seat));
        others.fold(self.view(position, 0), View::joined)
    }

    /// The marks that any seat sees on the board.
    #[must_use]
    pub fn marks_of_any(&self, position: &Position) -> Vec<Marked> {
        let others = (1..self.seat_count()).map(|seat| self.marks(position, seat));
        let joined = |ones: Vec<Marked>, others: Vec<Marked>| {
            ones.into_iter().zip(others).map(|(one, other)| one.joined(other)).collect()
        };
        others.fold(self.marks(position, 0), joined)
    }

    fn seat_count(&self) -> u16 {
        self.model.kinds.get(PLAYER.i()).map_or(0, |k| k.members.len() as u16)
    }

    fn looked_at(
        &self,
        position: &Position,
        seat: Option<u16>,
        options: Option<Vec<Choice>>,
        found: &Sightings<'_>,
    ) -> View {
        let look = ViewBuilder::new(self, position, seat, options, found);
        View {
            seat: seat.unwrap_or(0),
            winners: look.winners(),
            variables: look.variables(),
            piles: look.piles(),
            kinds: look.kinds(),
            question: look.question(),
        }
    }
}

impl<'a> ViewBuilder<'a> {
    pub fn new(
        rules: &'a Explainer,
        position: &'a Position,
        seat: Option<u16>,
        options: Option<Vec<Choice>>,
        found: &'a Sightings<'a>,
    ) -> ViewBuilder<'a> {
        let mut look = ViewBuilder { rules, position, seat, options, known: Vec::new(), found };
        let known = rules.model.kinds.iter().enumerate().map(|(k, kind)| {
            let what = SeenWhat::Member(KindId(k as u16));
            let looked_at = || (0..kind.members.len()).map(|i| look.sees(what, i)).collect();
            match seat {
                _ if !rules.model.limits_sight_of(what) => Arc::default(),
                Some(_) => found.all(what).unwrap_or_else(looked_at),
                None => looked_at(),
            }
        });
        look.known = known.collect();
        look
    }

    pub fn sees(&self, what: SeenWhat, index: usize) -> bool {
        let look = |seat| self.rules.sees(self.position, what, index, seat).unwrap_or(false);
        match self.seat {
            Some(seat) if self.rules.model.limits_sight_of(what) => self.found.or_look(what, index, || look(seat)),
            _ => true,
        }
    }

    pub fn knows(&self, kind: KindId, i: usize) -> bool {
        let known = self.known.get(kind.i()).and_then(|k| k.get(i));
        known.copied().unwrap_or(true)
    }

    /// What a variable is shown as, if the seat may know of it.
    pub fn shown_as(&self, var: VarId) -> Option<ShownAs> {
        let model = &self.rules.model;
        let v = model.vars.get(var.i())?;
        // Bags of the game are shown as piles are.
        let pile = model.piles.contains(&var) || v.owner == VarOwner::Game && matches!(v.ty.base, Base::Bag(_));
        let variable = match v.owner {
            VarOwner::Game => !pile,
            VarOwner::Code(_) => self.rules.in_view(self.position, var),
            _ => false,
        };
        match (pile, variable) {
            (true, _) => Some(ShownAs::Pile),
            (_, true) if !self.secret(var) => Some(ShownAs::Variable),
            _ => None,
        }
    }

    pub fn owner(&self, kind: KindId, i: usize) -> Option<u16> {
        self.rules.model.owner_of(kind, i as i32).and_then(|seat| u16::try_from(seat).ok())
    }

    /// A member as this one, or as one of its kind and owner.
    fn member(&self, kind: KindId, member: u16) -> SeenMember {
        match self.knows(kind, usize::from(member)) {
            true => SeenMember::Known(kind, member),
            false => SeenMember::Unknown(kind, self.owner(kind, usize::from(member))),
        }
    }

    fn value(&self, base: &Base, value: &Value) -> SeenValue {
        SeenValue::of(base, value, &|kind, member| self.member(kind, member))
    }

    fn winners(&self) -> Option<Vec<u16>> {
        let model = &self.rules.model;
        self.position.ending(model)?;
        let winners = self.position.winners(model);
        Some((0..self.rules.seat_count().min(32)).filter(|s| winners >> s & 1 == 1).collect())
    }

    fn secret(&self, var: VarId) -> bool {
        self.seat.is_some_and(|seat| self.rules.secret(self.position, var, seat))
    }

    /// The member that an entry of a variable is of, and whether it is known. Entries of unknown members must come
    /// last, sorted by what is shown of them.
    pub fn index(&self, var: &Var, entry: usize) -> (Option<SeenMember>, bool) {
        match var.index {
            Some(kind) => (Some(self.member(kind, entry as u16)), self.knows(kind, entry)),
            None => (None, true),
        }
    }

    /// All entries of a variable of which something is shown.
    fn entries<T: Ord>(&self, var: VarId, shown: impl Fn(usize) -> Option<T>) -> Vec<T> {
        let Some(v) = self.rules.model.vars.get(var.i()) else { return Vec::new() };
        let (mut found, mut hidden) = (Vec::new(), Vec::new());
        for entry in 0..v.place.count as usize {
            let to = if self.index(v, entry).1 { &mut found } else { &mut hidden };
            to.extend(shown(entry));
        }
        hidden.sort();
        found.extend(hidden);
        found
    }

    /// The entry of a variable, if the seat sees it.
    pub fn variable(&self, var: VarId, entry: usize) -> Option<SeenVariable> {
        let v = self.rules.model.vars.get(var.i()).filter(|_| self.sees(SeenWhat::Var(var), entry))?;
        let value = self.position.read(&self.rules.model, var, entry);
        Some(SeenVariable { var, index: self.index(v, entry).0, value: self.value(&v.ty.base, &value) })
    }

    /// The pile that is the entry of a variable.
    pub fn pile(&self, var: VarId, entry: usize) -> Option<SeenPile> {
        let v = self.rules.model.vars.get(var.i())?;
        let value = self.position.read(&self.rules.model, var, entry);
        let (SeenValue::Set(held) | SeenValue::List(held)) = self.value(&v.ty.base, &value) else { return None };
        let size = held.len();
        let members = self.sees(SeenWhat::Var(var), entry).then_some(held);
        Some(SeenPile { var, index: self.index(v, entry).0, size, members })
    }

    fn variables(&self) -> Vec<SeenVariable> {
        let vars = (0..self.rules.model.vars.len()).map(|i| VarId(i as u16));
        let shown = vars.filter(|var| self.shown_as(*var) == Some(ShownAs::Variable));
        shown.flat_map(|var| self.entries(var, |entry| self.variable(var, entry))).collect()
    }

    fn piles(&self) -> Vec<SeenPile> {
        let model = &self.rules.model;
        let bag = |v: &Var| v.owner == VarOwner::Game && matches!(v.ty.base, Base::Bag(_));
        let bags = model.vars.iter().enumerate().filter(|(_, v)| bag(v)).map(|(i, _)| VarId(i as u16));
        let piles = model.piles.iter().copied().chain(bags);
        piles.flat_map(|var| self.entries(var, |entry| self.pile(var, entry))).collect()
    }

    /// The fields of a member that change, as far as the seat sees them.
    pub fn fields(&self, kind: KindId, i: usize) -> Vec<SeenField> {
        let model = &self.rules.model;
        let fields = model.kinds.get(kind.i()).map_or(&[][..], |k| &k.fields);
        let mut found = Vec::new();
        for (at, field) in fields.iter().enumerate() {
            if let FieldStore::Var(var) = field.store
                && self.sees(SeenWhat::Var(var), i)
            {
                let value = self.value(&field.ty.base, &self.position.read(model, var, i));
                found.push(SeenField { field: at, value });
            }
        }
        found
    }

    fn kinds(&self) -> Vec<SeenKind> {
        let model = &self.rules.model;
        let mut found = Vec::new();
        for (k, kind) in model.kinds.iter().enumerate() {
            let id = KindId(k as u16);
            let changes = kind.fields.iter().any(|f| matches!(f.store, FieldStore::Var(_)));
            let ruled = self.known.get(k).is_some_and(|known| !known.is_empty());
            if !changes && !ruled {
                continue;
            }
            let mut seen = SeenKind { kind: id, known: Vec::new(), unknown: Vec::new() };
            for i in 0..kind.members.len() {
                let fields = self.fields(id, i);
                if self.knows(id, i) {
                    seen.known.push(KnownMember { member: i as u16, fields });
                } else {
                    seen.unknown.push(UnknownMember { owner: self.owner(id, i), fields });
                }
            }
            seen.unknown.sort();
            found.push(seen);
        }
        found
    }

    fn question(&self) -> Option<SeenQuestion> {
        let model = &self.rules.model;
        let Ok(DecisionPoint::Decision(choose, ..)) = rest(model, self.position) else {
            return None;
        };
        let seat = self.rules.at::<Silent>(self.position).seat(choose).ok()?;
        let options = self.seat.is_none_or(|own| own == seat).then(|| {
            let options = self.options.clone();
            let options = options.unwrap_or_else(|| self.rules.options(self.position).unwrap_or_default());
            let seen = options.into_iter().map(|c| self.choice(c, choose.of()));
            let (mut veiled, mut known): (Vec<SeenChoice>, Vec<SeenChoice>) = seen.partition(SeenChoice::is_veiled);
            veiled.sort();
            known.extend(veiled);
            known
        });
        Some(SeenQuestion { seat, options })
    }

    /// A choice; `of` is its base, if it is not an action.
    fn choice(&self, choice: Choice, of: Option<&Base>) -> SeenChoice {
        match choice {
            Choice::Act(id, args) => {
                let params = self.rules.model.actions.get(id.i()).map_or(&[][..], |a| &a.params);
                let args = params.iter().zip(args.as_slice());
                let args = args.map(|((_, ty), arg)| self.value(&ty.base, &Value::Int(i32::from(*arg))));
                SeenChoice::Act(id, args.collect())
            }
            Choice::Value(value) => SeenChoice::Value(self.value(of.unwrap_or(&Base::Int), &Value::Int(value))),
            Choice::Yes => SeenChoice::Yes,
            Choice::Pass => SeenChoice::Pass,
        }
    }
}
