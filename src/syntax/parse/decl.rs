//! Declarations.

use super::{Node, Parts, Read, Reader, Rule, broken, unquote};
use crate::syntax::fault::SyntaxFault;
use crate::syntax::tree::{
    Arranged, Board, Bring, Called, Costs, Decl, DeclKind, Ends, EndsResult, Expr, Field, Grid, GroupedBy, Index,
    Label, Mark, MarkAt, NameColumns, Param, ReadingChoice, RemoveTarget, Section, Seen, SeenWhat, Shown, Shows, Table,
    Tell, Type, TypeKind, Var, Word,
};

type Named = (Word, Option<Label>);

impl Reader<'_> {
    /// A whole declaration.
    pub(super) fn decl(&self, node: Node) -> Read<Decl> {
        let span = self.span(&node);
        let rule = node.as_rule();
        let kind = match rule {
            Rule::clause => DeclKind::Clause(self.clause(node)?),
            Rule::shared_ability => DeclKind::Ability(self.ability(node)?),
            Rule::replace => {
                let mut nodes = node.into_inner();
                // The keyword, then the declaration.
                nodes.next();
                let inner = nodes.next().ok_or_else(|| broken(span))?;
                match inner.as_rule() {
                    Rule::other_step => self.other_step(inner)?,
                    _ => DeclKind::Replace { decl: Box::new(self.decl(inner)?) },
                }
            }
            Rule::links => self.links(self.parts(node))?,
            Rule::more_links => self.more_links(self.parts(node))?,
            Rule::more_steps => self.more_steps(self.parts(node))?,
            Rule::grid => self.grid(self.parts(node))?,
            Rule::procedure => DeclKind::Procedure(self.procedure(self.parts(node))?),
            Rule::action => DeclKind::Action(self.action(self.parts(node))?),
            Rule::members => self.members(self.parts(node))?,
            Rule::more_of => self.more_of(self.parts(node))?,
            Rule::seen => self.seen(self.parts(node))?,
            Rule::ends => self.ends(self.parts(node))?,
            _ => self.plain_decl(rule, self.parts(node))?,
        };
        Ok(Decl { kind, span })
    }

    fn plain_decl(&self, rule: Rule, mut parts: Parts) -> Read<DeclKind> {
        let p = &mut parts;
        Ok(match rule {
            Rule::game => DeclKind::Game { name: self.need_word(p, Rule::low)?, title: self.opt_label(p)? },
            Rule::source => {
                DeclKind::Source { name: self.need_word(p, Rule::low)?, file: self.label(p.need(Rule::label)?)? }
            }
            Rule::players => {
                let by = p.opt(Rule::seated).map(|by| self.need_word(&mut self.parts(by), Rule::low));
                DeclKind::Players { seats: self.all_named(p)?, by: by.transpose()? }
            }
            Rule::option => DeclKind::Option {
                name: self.need_word(p, Rule::low)?,
                ty: self.ty(p.need(Rule::ty)?)?,
                value: self.expr(p.need(Rule::expr)?)?,
                label: self.opt_label(p)?,
                excludes: p.opt(Rule::excludes).map_or_else(Vec::new, |e| self.words(&mut self.parts(e), Rule::low)),
                cite: self.cites(p),
            },
            Rule::reading => DeclKind::Reading {
                name: self.need_word(p, Rule::low)?,
                label: self.opt_label(p)?,
                cite: self.cites(p),
                choices: self.choices(p)?,
            },
            Rule::preset => DeclKind::Preset {
                name: self.need_word(p, Rule::low)?,
                label: self.opt_label(p)?,
                settings: self.settings(p)?,
            },
            Rule::kind => self.kind(p)?,
            Rule::table => DeclKind::Table(self.table(p)?),
            Rule::edges => DeclKind::Edges {
                grid: self.need_word(p, Rule::low)?,
                file: self.label(p.need(Rule::label)?)?,
                cite: self.cites(p),
            },
            Rule::pile => DeclKind::Pile {
                name: self.need_word(p, Rule::low)?,
                ordered: p.has(Rule::kw_ordered),
                index: self.index(p)?,
                of: self.need_word(p, Rule::cap)?,
                start: self.opt_expr(p)?,
                label: self.opt_label(p)?,
                cite: self.cites(p),
            },
            Rule::var_decl => DeclKind::Var(self.var(p)?),
            Rule::define => DeclKind::Define {
                name: self.need_word(p, Rule::low)?,
                params: self.params(p)?,
                ty: p.opt(Rule::ty).map(|n| self.ty(n)).transpose()?,
                during: self.during(p)?,
                value: self.opt_expr(p)?,
                cite: self.cites(p),
            },
            Rule::score => DeclKind::Score {
                seat: self.need_word(p, Rule::low)?,
                value: self.expr(p.need(Rule::expr)?)?,
                cite: self.cites(p),
            },
            Rule::worth => {
                DeclKind::Worth { seat: self.need_word(p, Rule::low)?, value: self.expr(p.need(Rule::expr)?)? }
            }
            Rule::rounds => self.rounds(p)?,
            Rule::bring => DeclKind::Bring(self.bring(p)?),
            Rule::entry => {
                let mut path = self.parts(p.need(Rule::step_path)?);
                DeclKind::Entry {
                    phrase: self.label(p.need(Rule::label)?)?,
                    params: self.params(p)?,
                    procedure: self.need_word(&mut path, Rule::low)?,
                    step: self.need_word(&mut path, Rule::low)?,
                    body: self.block(p)?,
                }
            }
            Rule::notation => DeclKind::Notation(self.notation(p)?),
            Rule::transcript => DeclKind::Transcript(self.transcript(p)?),
            Rule::never => DeclKind::Never { label: self.label(p.need(Rule::label)?)?, mods: self.mods(p)? },
            Rule::board => DeclKind::Board(self.board(p)?),
            Rule::mark => DeclKind::Mark(self.mark(p)?),
            Rule::tell => DeclKind::Tell(self.tell(p)?),
            Rule::note => DeclKind::Note { cite: self.cite_list(p.need(Rule::cite_list)?) },
            Rule::manners => {
                DeclKind::Manners { cite: self.cite_list(p.need(Rule::cite_list)?), why: self.opt_label(p)? }
            }
            Rule::variant => DeclKind::Variant {
                name: self.need_word(p, Rule::low)?,
                label: self.opt_label(p)?,
                cite: self.cites(p),
            },
            Rule::remove => DeclKind::Remove {
                what: match p.opt(Rule::label) {
                    Some(label) => RemoveTarget::Label(self.label(label)?),
                    None => RemoveTarget::Path(self.need_word(p, Rule::cite_id)?),
                },
            },
            Rule::set_decl => self.set_decl(p)?,
            _ => return Err(broken(parts.span)),
        })
    }

    /// `set PATH = VALUE`, `set GRID.FIELD(CELL, CELL) = VALUE`.
    fn set_decl(&self, p: &mut Parts) -> Read<DeclKind> {
        let value = match p.opt(Rule::bag_value) {
            Some(bag) => self.bag_value(bag)?,
            None => self.expr(p.need(Rule::expr)?)?,
        };
        let Some(side) = p.opt(Rule::side) else {
            return Ok(DeclKind::Set { path: self.names(&mut self.parts(p.need(Rule::path)?)), value });
        };
        let mut side = self.parts(side);
        let mut path = self.parts(side.need(Rule::step_path)?);
        Ok(DeclKind::SetSide {
            grid: self.need_word(&mut path, Rule::low)?,
            field: self.need_word(&mut path, Rule::low)?,
            ends: [self.need_word(&mut side, Rule::cap)?, self.need_word(&mut side, Rule::cap)?],
            value,
        })
    }

    /// `board KIND ...`.
    fn board(&self, p: &mut Parts) -> Read<Board> {
        let arranged = match p.opt(Rule::board_rows) {
            Some(rows) => {
                let rows = &mut self.parts(rows);
                Arranged::Rows { row: self.need_word(rows, Rule::low)?, column: self.need_word(rows, Rule::low)? }
            }
            None => {
                let by = |groups| {
                    let p = &mut self.parts(groups);
                    Ok(GroupedBy { field: self.need_word(p, Rule::low)?, told: self.shown(p)? })
                };
                Arranged::Groups(p.opt(Rule::board_groups).map(by).transpose()?)
            }
        };
        Ok(Board {
            kind: self.need_word(p, Rule::cap)?,
            arranged,
            with: self.shows_with(p)?,
            shows: p.all(Rule::shows).into_iter().map(|one| self.shows(self.parts(one))).collect::<Read<_>>()?,
            tells: p.opt(Rule::tells).map(|tells| self.shown(&mut self.parts(tells))).transpose()?,
        })
    }

    /// The fields after `with`.
    fn shows_with(&self, p: &mut Parts) -> Read<Option<Vec<Shown>>> {
        p.opt(Rule::shows_with).map(|with| self.shown(&mut self.parts(with))).transpose()
    }

    /// Fields or variables with their labels.
    fn shown(&self, p: &mut Parts) -> Read<Vec<Shown>> {
        let one = |one| {
            let p = &mut self.parts(one);
            Ok(Shown { field: self.need_word(p, Rule::low)?, label: self.opt_label(p)? })
        };
        p.all(Rule::shown).into_iter().map(one).collect()
    }

    fn shows(&self, mut parts: Parts) -> Read<Shows> {
        let p = &mut parts;
        Ok(Shows {
            kind: self.need_word(p, Rule::cap)?,
            at: self.need_word(p, Rule::low)?,
            facing: match p.opt(Rule::shows_facing) {
                Some(facing) => Some(self.need_word(&mut self.parts(facing), Rule::low)?),
                None => None,
            },
            with: self.shows_with(p)?,
        })
    }

    fn mark(&self, p: &mut Parts) -> Read<Mark> {
        let at = match p.opt(Rule::mark_cell) {
            Some(cell) => {
                let mut cell = self.parts(cell);
                MarkAt::Cells {
                    name: self.need_word(&mut cell, Rule::low)?,
                    kind: self.need_word(&mut cell, Rule::cap)?,
                }
            }
            None => {
                let mut sides = self.parts(p.need(Rule::mark_sides)?);
                MarkAt::Sides {
                    from: self.need_word(&mut sides, Rule::low)?,
                    to: self.need_word(&mut sides, Rule::low)?,
                    grid: self.need_word(&mut sides, Rule::low)?,
                }
            }
        };
        let sign = p.need(Rule::text)?;
        let sign = Word { text: unquote(sign.as_str()), span: self.span(&sign) };
        let when = self.opt_when(p)?;
        Ok(Mark { at, sign, label: self.opt_label(p)?, when })
    }

    fn opt_when(&self, p: &mut Parts) -> Read<Option<Expr>> {
        match p.opt(Rule::when_mod) {
            Some(when) => self.opt_expr(&mut self.parts(when)),
            None => Ok(None),
        }
    }

    fn tell(&self, p: &mut Parts) -> Read<Tell> {
        let each = match p.opt(Rule::mark_cell) {
            Some(each) => {
                let mut each = self.parts(each);
                Some((self.need_word(&mut each, Rule::low)?, self.need_word(&mut each, Rule::cap)?))
            }
            None => None,
        };
        Ok(Tell { each, text: self.label(p.need(Rule::label)?)?, when: self.opt_when(p)? })
    }

    fn opt_expr(&self, parts: &mut Parts) -> Read<Option<Expr>> {
        parts.opt(Rule::expr).map(|n| self.expr(n)).transpose()
    }

    fn all_named(&self, parts: &mut Parts) -> Read<Vec<Named>> {
        parts
            .all(Rule::named)
            .into_iter()
            .map(|node| {
                let mut one = self.parts(node);
                Ok((self.need_word(&mut one, Rule::cap)?, self.opt_label(&mut one)?))
            })
            .collect()
    }

    fn choices(&self, parts: &mut Parts) -> Read<Vec<ReadingChoice>> {
        parts
            .all(Rule::choice)
            .into_iter()
            .map(|node| {
                let mut one = self.parts(node);
                Ok(ReadingChoice {
                    name: self.need_word(&mut one, Rule::low)?,
                    grounds: self.opt_label(&mut one)?,
                    default: one.has(Rule::kw_default),
                })
            })
            .collect()
    }

    /// `name value` pairs.
    fn settings(&self, parts: &mut Parts) -> Read<Vec<(Word, Expr)>> {
        parts
            .all(Rule::setting)
            .into_iter()
            .map(|node| {
                let mut one = self.parts(node);
                let name = self.need_word(&mut one, Rule::low)?;
                match one.opt(Rule::bag_value) {
                    Some(bag) => Ok((name, self.bag_value(bag)?)),
                    None => Ok((name, self.expr(one.need(Rule::term)?)?)),
                }
            })
            .collect()
    }

    fn ty(&self, node: Node) -> Read<Type> {
        let mut parts = self.parts(node);
        let optional = parts.has(Rule::question);
        let span = parts.span;
        let kind = if let Some(set) = parts.opt(Rule::set_ty) {
            TypeKind::Set(self.element_ty(set)?)
        } else if let Some(bag) = parts.opt(Rule::bag_ty) {
            TypeKind::Bag(self.element_ty(bag)?)
        } else {
            self.flat_ty(&mut parts)?
        };
        Ok(Type { kind, optional, span })
    }

    /// The type of what a set or bag is of.
    fn element_ty(&self, node: Node) -> Read<Box<Type>> {
        let mut parts = self.parts(node);
        // It stands last.
        let span = parts.nodes.last().map_or(parts.span, |n| self.span(n));
        Ok(Box::new(Type { kind: self.flat_ty(&mut parts)?, optional: false, span }))
    }

    fn flat_ty(&self, parts: &mut Parts) -> Read<TypeKind> {
        match parts.opt(Rule::range_ty) {
            Some(range) => {
                let mut range = self.parts(range);
                let lo = self.int(&range.need(Rule::int)?)?;
                Ok(TypeKind::Range(lo, self.int(&range.need(Rule::int)?)?))
            }
            None => Ok(TypeKind::Name(self.need_word(parts, Rule::cap)?)),
        }
    }

    fn kind(&self, p: &mut Parts) -> Read<DeclKind> {
        let label = self.opt_label(p)?;
        let owner = match p.opt(Rule::owned) {
            Some(owned) => Some(self.need_word(&mut self.parts(owned), Rule::low)?),
            None => None,
        };
        let called = match p.opt(Rule::called) {
            Some(node) => {
                let mut parts = self.parts(node);
                let label = self.label(parts.need(Rule::label)?)?;
                Some(Called { label, alike: parts.has(Rule::kw_alike) })
            }
            None => None,
        };
        let members = match p.opt(Rule::kind_members) {
            Some(members) => self.all_named(&mut self.parts(members))?,
            None => Vec::new(),
        };
        let fields = self.fields(p)?;
        let has = self.has(p);
        let lists = p.all(Rule::bears_list).into_iter();
        let chains = lists.flat_map(|list| self.parts(list).all(Rule::field_chain));
        let bears = chains.map(|chain| self.words(&mut self.parts(chain), Rule::low)).collect();
        Ok(DeclKind::Kind { name: self.need_word(p, Rule::cap)?, label, owner, called, members, fields, has, bears })
    }

    fn fields(&self, p: &mut Parts) -> Read<Vec<Field>> {
        let mut fields = Vec::new();
        for field in p.all(Rule::field) {
            let mut field = self.parts(field);
            fields.push(Field {
                var: field.has(Rule::kw_var),
                name: self.need_word(&mut field, Rule::low)?,
                ty: self.ty(field.need(Rule::ty)?)?,
                during: self.during(&mut field)?,
                value: match field.opt(Rule::bag_value) {
                    Some(bag) => Some(self.bag_value(bag)?),
                    None => self.opt_expr(&mut field)?,
                },
                label: self.opt_label(&mut field)?,
            });
        }
        Ok(fields)
    }

    /// The abilities named after `has`.
    fn has(&self, p: &mut Parts) -> Vec<Word> {
        p.all(Rule::has_list).into_iter().flat_map(|list| self.words(&mut self.parts(list), Rule::cap)).collect()
    }

    fn members(&self, mut parts: Parts) -> Read<DeclKind> {
        let p = &mut parts;
        let has = self.has(p);
        Ok(DeclKind::Members {
            also: false,
            kind: self.need_word(p, Rule::cap)?,
            names: self.all_named(p)?,
            cite: self.cites(p),
            fields: self.settings(p)?,
            has,
            abilities: p.all(Rule::own_ability).into_iter().map(|n| self.ability(n)).collect::<Read<_>>()?,
        })
    }

    /// `Region Shire, Bree also { ... }`: abilities of members that are declared elsewhere.
    fn more_of(&self, mut parts: Parts) -> Read<DeclKind> {
        let p = &mut parts;
        let has = self.has(p);
        let kind = self.need_word(p, Rule::cap)?;
        Ok(DeclKind::Members {
            also: true,
            kind,
            names: self.words(p, Rule::cap).into_iter().map(|name| (name, None)).collect(),
            cite: Vec::new(),
            fields: Vec::new(),
            has,
            abilities: p.all(Rule::own_ability).into_iter().map(|n| self.ability(n)).collect::<Read<_>>()?,
        })
    }

    fn grid(&self, mut parts: Parts) -> Read<DeclKind> {
        let p = &mut parts;
        let shift = p.opt(Rule::shift).map(|shift| {
            let shift = self.parts(shift);
            (shift.has(Rule::kw_even), shift.span)
        });
        let facing = match p.opt(Rule::faces) {
            Some(faces) => Some(self.need_word(&mut self.parts(faces), Rule::cap)?),
            None => None,
        };
        Ok(DeclKind::Grid(Grid {
            name: self.need_word(p, Rule::low)?,
            of: self.need_word(p, Rule::cap)?,
            square: p.has(Rule::kw_square),
            row: self.need_word(p, Rule::low)?,
            column: self.need_word(p, Rule::low)?,
            shift,
            facing,
            cite: self.cites(p),
            fields: self.fields(p)?,
        }))
    }

    fn index(&self, parts: &mut Parts) -> Read<Option<Index>> {
        let Some(node) = parts.opt(Rule::index_decl) else {
            return Ok(None);
        };
        let mut parts = self.parts(node);
        let first = self.index_of(parts.need(Rule::index_of)?)?;
        let second = parts.opt(Rule::index_of).map(|second| self.index_of(second)).transpose()?;
        Ok(Some(Index { second: second.map(Box::new), ..first }))
    }

    fn index_of(&self, node: Node) -> Read<Index> {
        let mut index = self.parts(node);
        Ok(Index {
            name: index.opt(Rule::low).map(|n| self.word(&n)),
            kind: self.need_word(&mut index, Rule::cap)?,
            second: None,
        })
    }

    pub(super) fn var(&self, p: &mut Parts) -> Read<Var> {
        Ok(Var {
            name: self.need_word(p, Rule::low)?,
            index: self.index(p)?,
            ty: self.ty(p.need(Rule::ty)?)?,
            during: self.during(p)?,
            value: self.opt_expr(p)?,
            label: self.opt_label(p)?,
            cite: self.cites(p),
        })
    }

    pub(super) fn param(&self, node: Node) -> Read<Param> {
        let mut parts = self.parts(node);
        Ok(Param { name: self.need_word(&mut parts, Rule::low)?, ty: self.ty(parts.need(Rule::ty)?)? })
    }

    pub(super) fn params(&self, parts: &mut Parts) -> Read<Vec<Param>> {
        match parts.opt(Rule::params) {
            Some(params) => self.parts(params).all(Rule::param).into_iter().map(|n| self.param(n)).collect(),
            None => Ok(Vec::new()),
        }
    }

    fn seen(&self, mut parts: Parts) -> Read<DeclKind> {
        let p = &mut parts;
        let what = match p.opt(Rule::seen_member) {
            Some(node) => {
                let mut member = self.parts(node);
                let kind = self.need_word(&mut member, Rule::cap)?;
                let mut path = self.parts(member.need(Rule::seen_path)?);
                let name = self.need_word(&mut path, Rule::low)?;
                match path.opt(Rule::any_word) {
                    Some(field) => SeenWhat::Field { kind, name, field: self.word(&field) },
                    None => SeenWhat::Member { kind, name },
                }
            }
            None => {
                let mut named = self.parts(p.need(Rule::seen_named)?);
                SeenWhat::Named {
                    name: self.need_word(&mut named, Rule::low)?,
                    index: named.opt(Rule::low).map(|n| self.word(&n)),
                    second: named.opt(Rule::low).map(|n| self.word(&n)),
                }
            }
        };
        let nobody = p.has(Rule::kw_nobody);
        let by = if nobody { None } else { Some(self.need_word(p, Rule::low)?) };
        let mods = self.mods(p)?;
        if let (true, Some(cond)) = (nobody, &mods.when) {
            return Err(SyntaxFault::new(
                cond.span,
                "what nobody sees has no condition",
                "it is seen by nobody at any time",
                Some("leave `when` out, or name the seat that sees it: `seen ... by p when ...`"),
            ));
        }
        Ok(DeclKind::Seen(Seen { what, by, mods }))
    }

    fn ends(&self, mut parts: Parts) -> Read<DeclKind> {
        let p = &mut parts;
        let result = match p.opt(Rule::ends_who) {
            Some(node) => {
                let mut who = self.parts(node);
                let seat = self.expr(who.need(Rule::postfix)?)?;
                if who.has(Rule::kw_wins) { EndsResult::Wins(seat) } else { EndsResult::Loses(seat) }
            }
            None => EndsResult::Draw,
        };
        Ok(DeclKind::Ends(Ends { result, label: self.label(p.need(Rule::label)?)?, mods: self.mods(p)? }))
    }

    fn table(&self, p: &mut Parts) -> Read<Table> {
        let called = p.opt(Rule::columns).map(|called| {
            let mut called = self.parts(called);
            let langs: Vec<String> = called.all(Rule::lang).iter().map(|n| n.as_str().to_owned()).collect();
            let mut columns = called.all(Rule::column).into_iter().map(|n| self.column(n));
            let column = columns.next().ok_or_else(|| broken(called.span))??;
            let others = columns.collect::<Read<Vec<_>>>()?;
            Ok(NameColumns { column, translations: langs.into_iter().zip(others).collect() })
        });
        let unread = p.opt(Rule::unread).map_or_else(Vec::new, |n| self.parts(n).all(Rule::column));
        Ok(Table {
            kind: self.need_word(p, Rule::cap)?,
            file: self.label(p.need(Rule::label)?)?,
            called: called.transpose()?,
            unread: unread.into_iter().map(|n| self.column(n)).collect::<Read<_>>()?,
        })
    }

    /// The name of a column, which may be written in quotes.
    fn column(&self, node: Node) -> Read<Word> {
        let parts = self.parts(node);
        let span = parts.span;
        let name = parts.first()?;
        let text = match name.as_rule() {
            Rule::text => unquote(name.as_str()),
            _ => name.as_str().to_owned(),
        };
        Ok(Word { text, span })
    }

    fn bring(&self, p: &mut Parts) -> Read<Bring> {
        let mut path = self.parts(p.need(Rule::field_path)?);
        Ok(Bring {
            name: self.need_word(p, Rule::low)?,
            seat: self.param(p.need(Rule::param)?)?,
            kind: self.need_word(&mut path, Rule::cap)?,
            field: self.need_word(&mut path, Rule::low)?,
            label: self.opt_label(p)?,
            cite: self.cites(p),
            costs: p.opt(Rule::costs_part).map(|part| self.costs(part)).transpose()?,
            sections: p.all(Rule::bring_part).into_iter().map(|part| self.section(part)).collect::<Read<_>>()?,
        })
    }

    fn costs(&self, node: Node) -> Read<Costs> {
        let p = &mut self.parts(node);
        let thing = self.need_word(p, Rule::low)?;
        let cost = self.expr(p.need(Rule::sum)?)?;
        let most = match p.opt(Rule::up_to) {
            Some(most) => Some(self.expr(self.parts(most).need(Rule::sum)?)?),
            None => None,
        };
        Ok(Costs { thing, cost, most, label: self.opt_label(p)? })
    }

    fn section(&self, node: Node) -> Read<Section> {
        let p = &mut self.parts(node);
        Ok(Section {
            name: self.need_word(p, Rule::low)?,
            pile: self.need_word(p, Rule::low)?,
            index: p.opt(Rule::low).map(|n| self.word(&n)),
            label: self.opt_label(p)?,
        })
    }

    fn rounds(&self, p: &mut Parts) -> Read<DeclKind> {
        let label = self.opt_label(p)?;
        let cite = self.cites(p);
        let mut rounds = Vec::new();
        for round in p.all(Rule::round) {
            let mut castings = Vec::new();
            for casting in self.parts(round).all(Rule::casting) {
                let mut casting = self.parts(casting);
                castings.push((self.need_word(&mut casting, Rule::cap)?, self.need_word(&mut casting, Rule::cap)?));
            }
            rounds.push(castings);
        }
        Ok(DeclKind::Rounds { label, cite, rounds })
    }
}
