//! Procedures, hooks, abilities, endings and the frame of a game.

use super::maker::{Maker, number};
use super::source::Source;
use super::stmt::Spot;
use super::world::{Base, Game, INT, Local, Pile, Proc, Ty, Var};

/// A game from a source of choices.
pub fn game(source: &mut dyn Source) -> Game {
    let mut m = Maker::new(source);
    let mut files = Vec::new();
    m.things(&mut files);
    for _ in 0..m.below(4) {
        m.definition();
    }
    for _ in 0..m.below(3) {
        m.procedure(true);
    }
    for _ in 0..1 + m.below(2) {
        m.action();
    }
    if m.one_in(3) {
        m.procedure(false);
    }
    if m.one_in(3) {
        m.clauses_on_several();
    }
    m.abilities();
    for _ in 0..m.below(3) {
        m.hook("");
    }
    m.play();
    m.endings();
    m.beside();
    let mut variants = Vec::new();
    if m.one_in(12) {
        m.used("variant");
        variants.push(String::from("other"));
        let mut text =
            String::from("variant other \"Otherwise\"\nends Bob wins \"late\" ranks above \"time\" when tick >= 8\n");
        if m.text.contains("ends active loses \"stuck\"") {
            m.used("remove");
            text += "remove \"stuck\"\n";
        }
        if m.text.contains("\noption bold") {
            m.used("set");
            text += "set bold = true\n";
        }
        if m.text.contains("\nscore seat") {
            m.used("replace");
            text += "replace score seat = if seat wins then 9 else 4\n";
        }
        files.push((String::from("variants/other.law"), text));
    }
    files.insert(0, (String::from("game.law"), std::mem::take(&mut m.text)));
    Game { files, variants, used: m.used }
}

impl Maker<'_> {
    /// A procedure; a leaf asks for no action.
    fn procedure(&mut self, leaf: bool) {
        let p = self.world.procs.len();
        let name = format!("proc{p}");
        let mut params = Vec::new();
        for n in 0..self.below(3) {
            let k = self.kind();
            let base = if self.one_in(3) { INT } else { Base::Member(k) };
            params.push((format!("r{p}x{n}"), Ty::of(base)));
        }
        let listed: Vec<String> = params.iter().map(|(n, ty)| format!("{n}: {}", self.world.ty(*ty))).collect();
        let nested = leaf && self.one_in(5);
        let more = if nested { " nested 3" } else { "" };
        self.line(&format!("procedure {name}({}){more} {{", listed.join(", ")));
        self.world.procs.push(Proc { name: name.clone(), params: params.clone(), nested, ..Proc::default() });
        self.inside = Some(p);
        let depth = self.locals.len();
        self.locals.extend(params.into_iter().map(|(name, ty)| Local { name, ty, var: false, index: None }));
        for n in 0..self.below(3) {
            self.own_variable(p, n);
        }
        let parts = self.plan_parts(p, leaf, nested);
        let spot = Spot {
            deep: 2,
            calls: if leaf { p } else { self.world.procs.len() - 1 },
            asks: if leaf { 0 } else { self.world.actions.len() },
            choices: true,
            loops: 0,
        };
        for n in 0..1 + self.below(2) {
            self.step(p, n, spot);
        }
        self.begin_parts(p, &parts);
        if nested {
            self.used("nested");
            let args: Vec<String> =
                self.world.procs[p].params.clone().iter().map(|(_, ty)| self.value(*ty, 1)).collect();
            let cond = self.condition(2);
            self.line(&format!("  step again{p} when {cond} {{ {name}({}) }}", args.join(", ")));
        }
        if self.one_in(3) {
            self.used("finally");
            self.line("  finally {");
            self.block(Spot { choices: false, calls: 0, asks: 0, loops: 1, ..spot }, 2);
            self.line("  }");
        }
        self.line("}");
        self.write_parts(p, parts, spot);
        self.locals.truncate(depth);
        self.inside = None;
    }

    fn own_variable(&mut self, p: usize, n: usize) {
        self.used("variable of a procedure");
        let ty = self.ty(true);
        let name = format!("w{p}x{n}");
        let index = self.one_in(4).then_some(0);
        let init = match ty.base {
            Base::Bag(_) => String::new(),
            _ if ty.opt && self.one_in(2) => String::new(),
            Base::Set(_) => String::from(" = {}"),
            Base::Num(lo, hi) if ty.base != INT => format!(" = {}", self.pick(&[lo, hi]).unwrap_or(lo)),
            _ => format!(" = {}", self.value(Ty::of(ty.base), 1)),
        };
        let at = if index.is_some() { "[Player]" } else { "" };
        self.line(&format!("  var {name}{at}: {}{init}", self.world.ty(ty)));
        self.world.procs[p].vars.push(Var { name: name.clone(), index, ty, pile: Pile::No, fixed: false });
        self.locals.push(Local { name, ty, var: true, index });
    }

    fn step(&mut self, p: usize, n: usize, spot: Spot) {
        let name = format!("s{p}x{n}");
        let label = match self.one_in(6) {
            true => {
                self.used("step with a label");
                " \"A step\" cite c.1"
            }
            false => "",
        };
        let name = format!("{name}{label}");
        let when = match self.one_in(3) {
            true => {
                self.used("step with a condition");
                format!(" when {}", self.condition(2))
            }
            false => String::new(),
        };
        let order = match self.one_in(3) {
            true => {
                self.used("order");
                " order Ann, Bob"
            }
            false => "",
        };
        self.world.procs[p].steps.push(format!("s{p}x{n}"));
        if self.one_in(8) {
            self.used("step without a block");
            return self.line(&format!("  step {name}{when}{order}"));
        }
        self.line(&format!("  step {name}{when}{order} {{"));
        self.block(spot, 4);
        self.line("  }");
    }

    /// A hook on a step or a procedure.
    fn hook(&mut self, indent: &str) {
        if self.world.procs.is_empty() {
            return;
        }
        let p = self.below(self.world.procs.len());
        let proc = self.world.procs[p].clone();
        let step = self.pick(&proc.steps);
        let (word, path) = match (self.below(6), step) {
            (0, _) => ("before", proc.name.clone()),
            (1, _) => ("after", proc.name.clone()),
            (2, Some(step)) => ("before", format!("{}.{step}", proc.name)),
            (3, Some(step)) => ("at", format!("{}.{step}", proc.name)),
            (4, Some(step)) => ("instead of", format!("{}.{step}", proc.name)),
            (_, Some(step)) => ("after", format!("{}.{step}", proc.name)),
            (_, None) => ("before", proc.name.clone()),
        };
        self.used(match word {
            "before" => "before",
            "at" => "at",
            "after" => "after",
            _ => "instead of",
        });
        self.fresh += 1;
        let label = format!("h{}", self.fresh);
        self.inside = Some(p);
        let bare = proc.params.iter().cloned().map(|(name, ty)| Local { name, ty, var: false, index: None });
        let vars = proc.vars.iter().map(|v| Local { name: v.name.clone(), ty: v.ty, var: true, index: v.index });
        let depth = self.locals.len();
        self.locals.extend(bare.chain(vars));
        let mut more = String::new();
        if self.one_in(4) {
            self.used("hook once per game");
            more += " once per game";
        } else if self.one_in(4) {
            self.used("hook once per procedure");
            more += &format!(" once per {}", proc.name);
        }
        if self.below(3) > 0 {
            more += &format!(" when {}", self.condition(2));
        }
        self.line(&format!("{indent}{word} {path} \"{label}\"{more} {{"));
        let deep = 1 + indent.len() / 2;
        let choices = self.one_in(5);
        self.block(Spot { deep, calls: 0, asks: 0, choices, loops: 1 }, 2);
        self.line(&format!("{indent}}}"));
        self.locals.truncate(depth);
        self.inside = None;
    }

    /// Abilities of one member's kind, held by all of it, and what silences them.
    fn abilities(&mut self) {
        self.own_ability();
        let held = self.text.contains("  has Skill");
        if !held {
            return;
        }
        let k = 1;
        let kind = self.world.kinds[k].name.clone();
        self.used("ability");
        // What an ability depends on must not depend on it.
        self.defs = 0;
        let when = match self.one_in(2) {
            true => {
                self.used("ability with a condition");
                format!(
                    " when {}",
                    self.with(&[(String::from("mine"), Ty::of(Base::Member(k)))], 4, |m| m.condition(2))
                )
            }
            false => String::new(),
        };
        let once = match self.one_in(4) {
            true => {
                self.used("ability once per game");
                " once per game"
            }
            false => "",
        };
        self.line(&format!("ability Skill of mine: {kind} \"Skill\"{once}{when} {{"));
        let depth = self.locals.len();
        let ty = Ty::of(Base::Member(k));
        let holder = |name: &str| Local { name: name.to_owned(), ty, var: false, index: None };
        self.locals.extend([holder("mine"), holder("holder")]);
        let weight = self.weight;
        self.weight *= self.world.kinds[k].members.len() as u64;
        if once.is_empty() {
            self.clauses_held();
        }
        if self.one_in(2) {
            self.used("hook in an ability");
            self.hook("  ");
        }
        self.weight = weight;
        self.locals.truncate(depth);
        self.line("}");
        let silenced = self.text.len();
        if self.one_in(2) {
            self.used("silence abilities");
            let cond = self.with(&[(String::from("of_it"), Ty::of(Base::Member(k)))], 4, |m| m.condition(2));
            self.line(&format!("silence abilities of of_it: {kind} \"hush\" when {cond}"));
        } else if self.one_in(2) {
            self.used("silence ability");
            let cond = self.with(&[(String::from("of_it"), Ty::of(Base::Member(k)))], 4, |m| m.condition(2));
            self.line(&format!("silence ability Skill of of_it: {kind} \"hush\" when {cond}"));
        }
        if self.text.len() > silenced && self.one_in(3) {
            self.used("spare");
            let cond = self.condition(2);
            self.line(&format!("spare Skill when {cond}"));
        }
        self.defs = self.world.defs.len();
    }

    /// The last member of a kind, with an ability of its own.
    fn own_ability(&mut self) {
        let Some((k, member, block)) = self.world.deferred.take() else {
            return;
        };
        let kind = self.world.kinds[k].name.clone();
        self.used("ability of one member");
        self.line(&format!("{kind} {member} {{{block}"));
        self.defs = 0;
        let once = match self.one_in(4) {
            true => {
                self.used("ability once per game");
                " once per game"
            }
            false => "",
        };
        let when = if self.one_in(2) { format!(" when {}", self.condition(2)) } else { String::new() };
        self.line(&format!("  ability \"Own\"{once}{when} {{"));
        if once.is_empty() {
            self.clauses_held();
        }
        self.hook("  ");
        self.line("  }");
        self.line("}");
        if self.one_in(2) {
            self.used("silence of a label");
            let cond = self.with(&[(String::from("of_it"), Ty::of(Base::Member(k)))], 4, |m| m.condition(2));
            self.line(&format!("silence ability \"Own\" of of_it: {kind} \"quiet\" when {cond}"));
            if self.one_in(2) {
                self.used("spare a label");
                let cond = self.condition(2);
                self.line(&format!("spare \"Own\" when {cond}"));
            }
        }
        self.defs = self.world.defs.len();
    }

    fn clauses_held(&mut self) {
        let small: Vec<usize> = (0..self.world.defs.len()).filter(|d| self.world.defs[*d].ty.base == INT).collect();
        if let Some(d) = self.pick(&small) {
            self.used("layer in an ability");
            let def = self.world.defs[d].clone();
            let names: Vec<(String, Ty)> =
                def.params.iter().enumerate().map(|(n, ty)| (format!("t{n}"), *ty)).collect();
            let listed: Vec<String> = names.iter().map(|(n, _)| n.clone()).collect();
            let text = self.with(&names, 4, |m| format!("{} when {}", m.number(1), m.condition(2)));
            self.line(&format!("  plus {}({}) by {text}", def.name, listed.join(", ")));
        }
        if let Some(action) = self.pick(&self.world.actions.clone()) {
            self.used("clause on an action in an ability");
            let known: Vec<(String, Ty)> = action.params.iter().map(|(n, e)| (n.clone(), e.one())).collect();
            let cond = self.with(&known, action.size, |m| m.condition(2));
            let what = self.pick(&["may not", "may"]).unwrap_or("may");
            self.line(&format!("  {what} {} \"held\" when {cond}", action.name));
        }
    }

    /// The procedure with which the game begins.
    fn play(&mut self) {
        self.defs = self.world.defs.len();
        self.line("procedure play {");
        let spot =
            Spot { deep: 3, calls: self.world.procs.len(), asks: self.world.actions.len(), choices: true, loops: 0 };
        if self.one_in(2) {
            self.line("  step setup {");
            self.block(Spot { deep: 2, ..spot }, 3);
            self.line("  }");
        }
        self.line("  step turns {");
        self.line("    while tick < 12 {");
        self.line("      tick += 1");
        self.block(spot, 3);
        self.ask_again(spot);
        let other = match self.below(3) {
            0 => String::from("active := if active is Ann then Bob else Ann"),
            1 => format!("active := {}", self.member(0, false, 2)),
            _ => String::from("when tick mod 2 is 0 { active := Bob } else { active := Ann }"),
        };
        self.line(&format!("      {other}"));
        self.block(Spot { asks: 0, ..spot }, 2);
        if self.world.procs.len() > 1 {
            let last = self.world.procs.len() - 1;
            let proc = self.world.procs[last].clone();
            let args: Vec<String> = proc.params.iter().map(|(_, ty)| self.value(*ty, 1)).collect();
            self.line(&format!("      {}({})", proc.name, args.join(", ")));
        }
        self.line("    }");
        self.line("  }");
        self.line("}");
    }

    fn endings(&mut self) {
        self.used("ends draw");
        self.line("ends draw \"time\" when tick >= 12");
        for n in 0..self.below(3) {
            let who = match self.below(4) {
                0 => String::from("active"),
                1 => {
                    self.used("ends of a set of seats");
                    String::from("Player")
                }
                _ => self.literal_member(0),
            };
            let how = self.pick(&["wins", "loses"]).unwrap_or("wins");
            self.used(if how == "wins" { "ends wins" } else { "ends loses" });
            let above = match self.below(3) {
                0 => String::new(),
                _ => {
                    self.used("ends ranks above");
                    match n {
                        0 => String::from(" ranks above \"time\""),
                        _ => format!(" ranks above \"time\", \"end{}\"", n - 1),
                    }
                }
            };
            let cond = self.truth(3);
            self.line(&format!("ends {who} {how} \"end{n}\"{above} when tick > 2 and {cond}"));
        }
        if self.below(3) > 0 {
            self.used("no legal action");
            self.line("ends active loses \"stuck\" when no legal action");
        }
        if self.one_in(3) {
            self.used("some legal action");
            let cond = self.truth(2);
            let asked = self.pick(&["some legal action", "not (some legal action)", "not (no legal action)"]);
            let asked = asked.unwrap_or("some legal action");
            self.line(&format!("ends draw \"calm\" when tick > 3 and {cond} and {asked}"));
        }
        if self.one_in(3) {
            self.used("score");
            let of = self.with(&[(String::from("seat"), Ty::of(Base::Member(0)))], 1, |m| m.number(2));
            self.line(&format!("score seat = if seat wins then 2 + {of} else {}", number(-1)));
        }
        if self.one_in(3) {
            self.used("worth");
            let of = self.with(&[(String::from("seat"), Ty::of(Base::Member(0)))], 1, |m| m.number(2));
            self.line(&format!("worth seat = {of}"));
        }
    }

    /// What play does not look at: what is seen, where positions begin, what is drawn.
    fn beside(&mut self) {
        if let Some(var) = self.pick(&self.world.vars.clone())
            && self.one_in(4)
            && !var.fixed
        {
            self.used("seen");
            match var.index {
                Some(0) => self.line(&format!("seen {}[whose] by who when whose is who", var.name)),
                Some(_) => {}
                None if self.one_in(2) => {
                    self.used("seen, by nobody");
                    self.line(&format!("seen {} by nobody", var.name));
                }
                None => self.line(&format!("seen {} by who when who is Ann", var.name)),
            }
        }
        if self.one_in(6) {
            self.used("seen, of members");
            let name = self.world.kinds[1].name.clone();
            if let Some(field) = self.world.kinds[1].fields.iter().find(|f| f.var).cloned() {
                self.used("seen, of a field");
                self.line(&format!("seen {name} one.{} by who when who is Bob", field.name));
            }
            let cond = self.with(&[(String::from("it"), Ty::of(Base::Member(1)))], 4, |m| m.truth(1));
            self.line(&format!("seen {name} it by who when who is Ann or {cond}"));
        }
        if self.one_in(6) {
            self.used("entry");
            self.line("entry \"{who} to move\" (who: Player) at play.turns { active := who }");
            self.notation();
        }
        if self.one_in(6) {
            self.used("never");
            let cond = self.truth(2);
            self.line(&format!("never \"a wonder\" when {cond}"));
        }
        if self.one_in(12) {
            self.used("note, manners, rounds");
            self.line("note c.2");
            self.line("manners c.3 \"Looking away is up to the players.\"");
            let third = if self.world.kinds[0].members.len() > 2 { ", Third as Cee" } else { "" };
            self.line(&format!("rounds \"one game\" {{ First as Ann, Second as Bob{third} }}"));
        }
        if let Some(hex) = self.world.grids.first().map(|g| g.kind)
            && self.one_in(2)
        {
            self.used("board and mark");
            let on_cells = |f: &&super::world::Field| f.var && f.ty == Ty { base: Base::Member(hex), opt: true };
            let mut pieces = Vec::new();
            for kind in &self.world.kinds {
                let at = kind.fields.iter().filter(on_cells).map(|f| (kind.name.clone(), f.name.clone()));
                pieces.extend(at);
            }
            let shows = match self.pick(&pieces) {
                Some((kind, at)) => {
                    self.used("board shows");
                    format!(" shows {kind} at {at} with {at}")
                }
                None => String::new(),
            };
            // By what the game is, so that no choice at random is drawn for it.
            let arranged = if self.world.kinds.len().is_multiple_of(2) {
                self.used("board grouped");
                "grouped by high"
            } else {
                "row row column column"
            };
            self.line(&format!("board Hex {arranged}{shows} tells tick"));
            self.line("mark it: Hex \"^\" \"high\" when it.high");
            self.used("tell");
            self.line("tell who: Player \"{who} at {tick}\" when tick > 0");
        }
        let posts = self.world.kinds.iter().enumerate().skip(1);
        let mut places = Vec::new();
        for (k, kind) in posts {
            let owned = kind.fields.iter().any(|f| f.name == format!("side{k}"));
            let holder = kind.fields.iter().find(|f| f.var && f.ty.opt && matches!(f.ty.base, Base::Member(_)));
            if let (true, Some(field)) = (owned, holder) {
                places.push((kind.name.clone(), field.name.clone()));
            }
        }
        if let Some((kind, field)) = self.pick(&places)
            && self.one_in(2)
        {
            self.used("bring");
            let costs = if self.world.kinds.len().is_multiple_of(2) {
                self.used("bring, each costs");
                " each thing costs 2 up to 5 \"points\""
            } else {
                ""
            };
            self.line(&format!("bring crew(p: Player) into {kind}.{field} \"A crew\"{costs}"));
            self.line(&format!("must crew \"few\" so that (count x in {kind} where x.{field} is not none) < 3"));
        }
    }

    /// A notation of positions, of who is to move or of a board as well, and one of games.
    fn notation(&mut self) {
        self.used("notation of positions");
        let third = self.world.kinds[0].members.len() > 2;
        let third = |words: &str| if third { words.to_owned() } else { String::new() };
        let who = format!("who {{ Ann \"a\"  Bob \"b\"{} }}", third("  Cee \"c\""));
        if self.one_in(2) {
            self.line(&format!("notation short at play.turns {{ {who} }}"));
            return;
        }
        self.used("notation of a board");
        self.line("kind Nook { line: 1..2  place: 1..2  var held: Player? }");
        self.line("Nook Left { line 1  place 1 }");
        self.line("Nook Right { line 2  place 1 }");
        self.line("var lit_nooks: set of Nook = {}");
        let held = format!("x.held {{ Ann \"a\"  Bob \"b\"{} }}", third("  Cee \"c\""));
        self.line(&format!(
            "notation short at play.turns {{ rows x in Nook by line, place split \"/\" {{ {held} else counted }} \" \" {who} \
             \" \" each x in Nook when x in lit_nooks {{ \"{{x}}\" else \"-\" }} }}"
        ));
        self.used("notation of games");
        let third = third("  Cee \"0-0-1\"");
        self.line(&format!("transcript tale from short {{ Ann \"1-0\"  Bob \"0-1\"{third}  draw \"1/2\" }}"));
    }
}
