//! Entries of variables, fields and links, as an evaluation reads them.

use super::eval::{Eval, Res};
use super::note::Notes;
use crate::model::{Expr, ExprKind, FieldStore, KindId, LinkId, Set, Value, VarId};

impl<N: Notes> Eval<'_, N> {
    pub fn var(&mut self, var: VarId, index: Option<&Expr>) -> Res<Value> {
        let index = match index {
            None => 0,
            Some(e) => match self.int(e)?.map(usize::try_from) {
                Some(Ok(i)) => i,
                _ => return Ok(Value::None),
            },
        };
        self.look_up(var, index)
    }

    fn look_up(&mut self, var: VarId, index: usize) -> Res<Value> {
        if index == 0
            && let Some((_, value)) = self.kept.iter().find(|(name, _)| *name == var)
        {
            return Ok(value.clone());
        }
        let value = self.entry(var, index)?;
        if let Some(observer) = self.within {
            self.missed |= !observer.see_entry(var, index, &value);
        }
        Ok(value)
    }

    /// The value of an expression of which no more is wanted than how many there are: of a pile all see that.
    pub fn counted(&mut self, e: &Expr) -> Res<Value> {
        let before = self.missed;
        let value = self.eval(e)?;
        let ExprKind::Var { var, index } = (match &e.kind {
            ExprKind::AsSet(of) => &of.kind,
            kind => kind,
        }) else {
            return Ok(value);
        };
        if self.within.is_some_and(|observer| observer.see_size(*var)) {
            self.missed = before;
            if let Some(index) = index {
                self.int(index)?;
            }
        }
        Ok(value)
    }

    /// The field of a member, wherever it is.
    pub fn field(&mut self, kind: KindId, field: usize, member: i32) -> Res<Value> {
        let store = self.model.kinds.get(kind.i()).and_then(|k| k.fields.get(field)).map(|f| &f.store);
        match (store, usize::try_from(member)) {
            (Some(FieldStore::Var(var)), Ok(member)) => self.look_up(*var, member),
            _ => Ok(self.printed(kind, field, member)),
        }
    }

    /// The field of a member.
    pub fn printed(&self, kind: KindId, field: usize, member: i32) -> Value {
        let Ok(member) = usize::try_from(member) else {
            return Value::None;
        };
        let kind = self.model.kinds.get(kind.i());
        match kind.and_then(|k| k.fields.get(field)).map(|f| &f.store) {
            Some(FieldStore::Printed(values)) => values.get(member).cloned().unwrap_or_default(),
            Some(FieldStore::Var(var)) => self.position.read(self.model, *var, member),
            None => Value::None,
        }
    }

    pub fn neighbours(&self, links: LinkId, back: bool, member: i32) -> Set {
        let links = self.model.links.get(links.i());
        let table = links.map(|l| if back { &l.backward } else { &l.forward });
        let member = usize::try_from(member).ok();
        match (table, member) {
            (Some(table), Some(i)) => table.get(i).cloned().unwrap_or_default(),
            _ => Set::new(),
        }
    }
}
