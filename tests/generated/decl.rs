//! Declarations: options, kinds and members, links, grids, variables and piles.

use super::maker::{Maker, SIZES};
use super::world::{Base, Elem, Field, Grid, INT, Kind, Pile, Ty, Var};

impl Maker<'_> {
    /// The seats, the options, the kinds and everything that is stored.
    pub fn things(&mut self, files: &mut Vec<(String, String)>) {
        self.line("game made \"Made\"");
        let seats = 2 + self.below(2);
        let names: Vec<String> = ["Ann", "Bob", "Cee"].iter().take(seats).map(|s| (*s).to_owned()).collect();
        self.line(&format!("players {}", names.join(", ")));
        self.world.kinds.push(Kind { name: String::from("Player"), members: names, fields: Vec::new() });
        self.line("var tick: 0..40 = 0");
        self.line("var active: Player = Ann");
        let active =
            Var { name: String::from("active"), index: None, ty: Ty::of(Base::Member(0)), pile: Pile::No, fixed: true };
        self.world.vars.push(Var { name: String::from("tick"), ty: Ty::of(Base::Num(0, 40)), ..active.clone() });
        self.world.vars.push(active);
        if self.one_in(3) {
            self.options();
        }
        if self.one_in(6) {
            self.used("register");
            self.line("source rulebook \"clauses.tsv\"");
            files.push((String::from("clauses.tsv"), String::from("id\tsection\nc.1\ta\nc.2\tb\nc.3\tc\n")));
        }
        let mut big = false;
        for k in 0..1 + self.below(3) {
            self.kind_of_things(k, &mut big, files);
        }
        if self.one_in(5) {
            self.grid(files);
        }
        self.member_fields();
        if self.one_in(2) {
            self.links();
        }
        for i in 0..1 + self.below(5) {
            self.variable(&format!("v{i}"), false);
        }
        if self.one_in(3) {
            for i in 0..1 + self.below(2) {
                self.variable(&format!("b{i}"), true);
            }
        }
        if self.one_in(2) {
            for i in 0..1 + self.below(3) {
                self.pile(i);
            }
        }
    }

    fn options(&mut self) {
        self.used("option");
        let fixed = |name: &str, base: Base| Var {
            name: name.to_owned(),
            index: None,
            ty: Ty::of(base),
            pile: Pile::No,
            fixed: true,
        };
        self.line("option bold: Bool = false \"Bold\"");
        self.line("option most_of: -3..9 = 4 \"How many\"");
        self.world.vars.push(fixed("bold", Base::Truth));
        self.world.vars.push(fixed("most_of", Base::Num(-3, 9)));
        if self.one_in(3) {
            self.used("option that excludes another");
            self.line("option calm: Bool = false \"Calm\" excludes bold");
            self.world.vars.push(fixed("calm", Base::Truth));
        }
        if self.one_in(2) {
            self.used("option of a kind");
            self.line("option first_of: Player = Ann \"Who is first\"");
            self.world.vars.push(fixed("first_of", Base::Member(0)));
        }
        if self.one_in(2) {
            self.used("reading");
            self.line("reading strict \"How is it meant?\" {");
            self.line("  close \"as it is written\" default");
            self.line("  wide \"as it is played\"");
            self.line("}");
            self.world.readings.push((String::from("strict"), String::from("close")));
            self.world.readings.push((String::from("strict"), String::from("wide")));
            self.used("preset");
            self.line("preset later \"The later edition\" { strict wide bold true }");
        }
    }

    fn size(&mut self, big: &mut bool) -> usize {
        if *big || self.below(5) < 3 {
            return [3, 2, 1, 4, 5, 8][self.below(6)];
        }
        *big = true;
        let size = SIZES[self.below(if self.wide { SIZES.len() } else { 5 })];
        self.used(match size {
            63 => "kind of 63",
            64 => "kind of 64",
            65 => "kind of 65",
            127 => "kind of 127",
            128 => "kind of 128",
            129 => "kind of 129",
            255 => "kind of 255",
            256 => "kind of 256",
            257 => "kind of 257",
            300 => "kind of 300",
            487 => "kind of 487",
            513 => "kind of 513",
            600 => "kind of 600",
            1000 => "kind of 1000",
            _ => "kind of 1024",
        });
        size
    }

    /// A kind without its fields, which are known once all kinds are.
    fn kind_of_things(&mut self, k: usize, big: &mut bool, files: &mut Vec<(String, String)>) {
        let size = self.size(big);
        let letter = ["A", "B", "C"][k.min(2)];
        let members: Vec<String> = (0..size).map(|i| format!("{letter}{i}")).collect();
        if size == 1 {
            self.used("kind of 1");
        }
        let name = format!("K{letter}");
        if self.one_in(10) {
            self.used("table");
            let rows: Vec<String> = members.iter().enumerate().map(|(i, m)| format!("{m},{m},{}\n", i % 4)).collect();
            files.push((format!("{name}.csv"), format!("id,name,rank{}\n{}", k + 1, rows.concat())));
            self.world.kinds.push(Kind {
                name,
                members,
                fields: vec![Field { name: format!("rank{}", k + 1), ty: Ty::of(Base::Num(0, 9)), var: false }],
            });
        } else {
            self.world.kinds.push(Kind { name, members, fields: Vec::new() });
        }
    }

    /// The fields of the kinds, then their members.
    fn member_fields(&mut self) {
        for k in 1..self.world.kinds.len() {
            if self.world.grids.iter().any(|g| g.kind == k || g.facing == k) {
                continue;
            }
            let kind = self.world.kinds[k].clone();
            let small = kind.members.len() <= 8;
            let table = !kind.fields.is_empty();
            let mut lines = Vec::new();
            if table {
                lines.push(format!("rank{k}: 0..9 = 0"));
            }
            let owned = small && !table && self.one_in(3);
            if owned {
                self.used("owned by");
                lines.push(format!("side{k}: Player"));
                self.world.kinds[k].fields.push(Field {
                    name: format!("side{k}"),
                    ty: Ty::of(Base::Member(0)),
                    var: false,
                });
            }
            for i in 0..1 + self.below(3) {
                let line = self.field(k, i, small);
                lines.push(line);
            }
            if self.one_in(8) {
                self.used("field of text");
                lines.push(format!("said{k}: Text = \"so\""));
            }
            let owner = if owned { format!(" owned by side{k}") } else { String::new() };
            let owner = match self.world.kinds[k].fields.last().map(|f| f.name.clone()) {
                Some(field) if small && self.one_in(4) => {
                    self.used("alike");
                    format!("{owner} called \"{{{field}}}\" alike")
                }
                _ => owner,
            };
            let together = !owned && !table && self.one_in(2);
            let owner = match together {
                true => {
                    self.used("members in the kind");
                    format!("{owner} members {}", kind.members.join(", "))
                }
                false => owner,
            };
            self.line(&format!("kind {}{owner} {{", kind.name));
            lines.iter().for_each(|l| self.line(&format!("  {l}")));
            if k == 1 && self.one_in(6) {
                self.used("ability of a kind");
                self.line("  has Skill");
            }
            self.line("}");
            if table {
                let called = match self.one_in(2) {
                    true => {
                        self.used("table by names");
                        " called name without id"
                    }
                    false => "",
                };
                self.line(&format!("table {} from \"{}.csv\"{called}", kind.name, kind.name));
                continue;
            }
            if together {
                continue;
            }
            if !small {
                self.line(&format!("{} {}", kind.name, kind.members.join(", ")));
                continue;
            }
            for (n, member) in kind.members.iter().enumerate() {
                let side = if owned { format!(" {{ side{k} {} }}", self.literal_member(0)) } else { String::new() };
                if n + 1 == kind.members.len() && self.world.deferred.is_none() && self.one_in(3) {
                    let block = side.trim_matches([' ', '{', '}']).to_owned();
                    self.world.deferred = Some((k, member.clone(), format!(" {block}")));
                    continue;
                }
                self.line(&format!("{} {member}{side}", kind.name));
            }
        }
    }

    fn field(&mut self, k: usize, i: usize, small: bool) -> String {
        let letter = ["a", "b", "c"][(k - 1).min(2)];
        let name = format!("{letter}f{i}");
        let var = self.below(4) > 0;
        let mut ty = self.ty(small);
        if !small && matches!(ty.base, Base::Num(..)) {
            // Wide enough for what a kind as big as that counts.
            ty.base = if self.one_in(2) { Base::Num(0, 9) } else { ty.base };
        }
        let bare = var && matches!(ty.base, Base::Bag(_));
        let init = if ty.opt && self.one_in(2) || bare { None } else { self.constant(ty) };
        self.used(match (var, ty.base) {
            (false, Base::Bag(_)) => "printed bag",
            (false, _) => "printed field",
            (_, Base::Truth) => "field of truth",
            (_, Base::Num(..)) => "field of numbers",
            (_, Base::Member(_)) => "field of members",
            (_, Base::Set(_)) => "field of sets",
            (_, Base::Bag(_)) => "field of bags",
        });
        let line = format!("{}{name}: {}{}", if var { "var " } else { "" }, self.world.ty(ty), equals(init));
        self.world.kinds[k].fields.push(Field { name, ty, var });
        line
    }

    /// A first value that needs no position.
    fn constant(&mut self, ty: Ty) -> Option<String> {
        Some(match ty.base {
            Base::Truth => self.pick(&["false", "true"]).unwrap_or("false").to_owned(),
            INT => self.below(9).to_string(),
            Base::Num(lo, hi) => [lo, hi, lo.saturating_add(1).min(hi)][self.below(3)].to_string(),
            Base::Member(k) => self.literal_member(k),
            Base::Set(Elem::Kind(k)) if self.one_in(2) => format!("{{ {} }}", self.literal_member(k)),
            Base::Set(_) => String::from("{}"),
            Base::Bag(Elem::Kind(k)) => match self.below(3) {
                0 => String::from("{}"),
                1 => format!("{} {}", 1 + self.below(4), self.literal_member(k)),
                _ => format!("{} + {} {}", self.literal_member(k), 1 + self.below(2), self.literal_member(k)),
            },
            Base::Bag(_) => String::from("{}"),
        })
    }

    fn links(&mut self) {
        let kinds: Vec<usize> =
            (1..self.world.kinds.len()).filter(|k| self.world.kinds[*k].members.len() > 1).collect();
        let Some(k) = self.pick(&kinds) else {
            return;
        };
        let kind = self.world.kinds[k].clone();
        let mut chain = kind.members.clone();
        chain.truncate(20);
        if self.one_in(2) {
            self.used("links between");
            let at = self.below(chain.len());
            let branch = format!("{} - {}", kind.members[at], kind.members[kind.members.len() - 1]);
            self.line(&format!("links path between {} {{ {}", kind.name, chain.join(" - ")));
            self.line(&format!("  {branch} }}"));
            self.world.links.push((String::from("path"), k, k));
        }
        if self.one_in(2) {
            self.used("links with a direction");
            self.line(&format!("links arrow from {0} to {0} {{ {1} }}", kind.name, chain.join(" -> ")));
            self.world.links.push((String::from("arrow"), k, k));
        }
        let other = 1 + self.below(self.world.kinds.len() - 1);
        if other != k && self.one_in(2) {
            self.used("links from one kind to another");
            let to = self.world.kinds[other].clone();
            let pairs: Vec<String> =
                chain.iter().zip(to.members.iter().cycle()).map(|(a, b)| format!("{a} -> {b}")).collect();
            self.line(&format!("links arrow_to from {} to {} {{ {} }}", kind.name, to.name, pairs.join("  ")));
            self.world.links.push((String::from("arrow_to"), k, other));
        }
    }

    fn grid(&mut self, files: &mut Vec<(String, String)>) {
        let hexagonal = self.one_in(2);
        let (rows, columns) = (1 + self.below(3), 2 + self.below(3));
        let mut cells = Vec::new();
        for row in 0..rows {
            for column in 0..columns {
                // Now and then a hole.
                if cells.len() > 1 && self.one_in(7) {
                    continue;
                }
                cells.push((format!("H{row}x{column}"), row, column));
            }
        }
        self.used(if hexagonal { "hexagonal grid" } else { "square grid" });
        let partial = self.one_in(3);
        let may = if partial { "?" } else { "" };
        self.line(&format!("kind Hex {{ row: 0..9{may}  column: 0..9{may}  var high: Bool = false }}"));
        for (name, row, column) in &cells {
            self.line(&format!("Hex {name} {{ row {row}  column {column} }}"));
        }
        let off: &[&str] = if partial { &["Dot", "Hall"] } else { &[] };
        if partial {
            self.used("member off the map");
            self.line("Hex Dot, Hall");
        }
        let shape = if hexagonal { "hexagonal" } else { "square" };
        let shift = match self.below(3) {
            0 if hexagonal => " shift even",
            1 if hexagonal => " shift odd",
            _ => "",
        };
        if !shift.is_empty() {
            self.used("shift");
        }
        self.line(&format!("grid hexes of Hex {shape} row row column column{shift} facing Side {{"));
        self.line("  river: Bool = false");
        self.line("  height: -2..9 = 1");
        self.line("}");
        if let [first, second, ..] = cells.as_slice()
            && first.1 == second.1
            && first.2 + 1 == second.2
        {
            self.used("edges");
            self.line("edges hexes from \"edges.csv\"");
            files.push((String::from("edges.csv"), format!("from,to,river,height\n{},{},yes,7\n", first.0, second.0)));
        }
        let number = |name: &str| Field { name: name.to_owned(), ty: Ty::of(Base::Num(0, 9)), var: false };
        let high = Field { name: String::from("high"), ty: Ty::of(Base::Truth), var: true };
        let (kind, facing) = (self.world.kinds.len(), self.world.kinds.len() + 1);
        self.world.kinds.push(Kind {
            name: String::from("Hex"),
            members: cells.into_iter().map(|c| c.0).chain(off.iter().map(|name| (*name).to_owned())).collect(),
            fields: if partial { vec![high] } else { vec![number("row"), number("column"), high] },
        });
        let sides: &[&str] = match hexagonal {
            true => &["NorthEast", "East", "SouthEast", "SouthWest", "West", "NorthWest"],
            false => &["North", "East", "South", "West"],
        };
        self.world.kinds.push(Kind {
            name: String::from("Side"),
            members: sides.iter().map(|s| (*s).to_owned()).collect(),
            fields: Vec::new(),
        });
        self.world.grids.push(Grid {
            name: String::from("hexes"),
            kind,
            facing,
            partial,
            sides: vec![
                (String::from("river"), Ty::of(Base::Truth)),
                (String::from("height"), Ty::of(Base::Num(-2, 9))),
            ],
        });
    }

    fn variable(&mut self, name: &str, bag: bool) {
        let mut ty = self.ty(true);
        if bag {
            let e = self.elem();
            ty = Ty::of(Base::Bag(if self.world.size(e) > 255 { Elem::Range(1, 6) } else { e }));
        }
        let mut index = if self.one_in(3) { Some(self.kind()) } else { None };
        if index.is_some_and(|k| self.world.kinds[k].members.len() > 9)
            && matches!(ty.base, Base::Bag(_) | Base::Set(_))
        {
            index = None;
        }
        self.used(match ty.base {
            Base::Truth => "variable of truth",
            INT => "variable of Int",
            Base::Num(..) => "variable of a range",
            Base::Member(_) => "variable of a kind",
            Base::Set(Elem::Kind(_)) => "variable of a set of a kind",
            Base::Set(Elem::Range(..)) => "variable of a set of numbers",
            Base::Set(Elem::Truth) => "variable of a set of truths",
            Base::Bag(_) => "variable of a bag",
        });
        if ty.opt {
            self.used("variable perhaps nothing");
        }
        let bare = matches!(ty.base, Base::Bag(_));
        let init = if ty.opt && self.one_in(2) || bare { None } else { self.constant(ty) };
        let at = index.map_or(String::new(), |k| format!("[{}]", self.world.kinds[k].name));
        self.line(&format!("var {name}{at}: {}{}", self.world.ty(ty), equals(init)));
        let pile = Pile::No;
        self.world.vars.push(Var { name: name.to_owned(), index, ty, pile, fixed: false });
    }

    fn pile(&mut self, i: usize) {
        let k = self.kind();
        let kind = self.world.kinds[k].name.clone();
        let ordered = self.one_in(2);
        let index = self.one_in(3).then_some(0);
        self.used(match (ordered, index) {
            (true, None) => "ordered pile",
            (true, _) => "ordered piles",
            (_, None) => "pile",
            _ => "piles",
        });
        let word = if ordered { "ordered pile" } else { "pile" };
        let at = if index.is_some() { "[Player]" } else { "" };
        let init = match self.below(3) {
            0 => format!(" = {{ c in {kind} where true }}"),
            1 => format!(" = {{ {} }}", self.literal_member(k)),
            _ => String::new(),
        };
        self.line(&format!("{word} p{i}{at} of {kind}{init}"));
        self.world.vars.push(Var {
            name: format!("p{i}"),
            index,
            ty: Ty::of(Base::Set(Elem::Kind(k))),
            pile: if ordered { Pile::Ordered } else { Pile::Loose },
            fixed: false,
        });
    }
}

fn equals(init: Option<String>) -> String {
    init.map_or(String::new(), |i| format!(" = {i}"))
}
