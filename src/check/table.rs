//! Members kept in tables: their identifiers and names, and what the cells of a table mean.

use std::collections::HashMap;

use super::Checker;
use super::names::Symbol;
use super::register::Row;
use crate::check::Diagnostic;
use crate::model::{self, Base, KindId, Set, Ty, Value, as_number};
use crate::span::Span;
use crate::spelling::{closest, identifier, letters, list};
use crate::syntax::tree::{Label, Table, Word};

/// How many cells a report names.
const NAMED: usize = 5;

/// The columns of a table that say which members there are.
struct Columns {
    /// The identifiers, or the names of which they are made.
    id: usize,
    /// Identifiers are made of names.
    made: bool,
    /// The text for people.
    name: Option<usize>,
    /// The same in other languages.
    translations: Vec<(String, usize)>,
    /// Other names by which cells of tables may refer to the members.
    key: Option<usize>,
}

impl Columns {
    /// The identifier of a row; `None` if it has none that is valid.
    fn id(&self, row: &Row) -> Option<String> {
        let cell = row.cells.get(self.id)?.trim();
        if self.made {
            return identifier(cell);
        }
        let valid = cell.starts_with(|c: char| c.is_ascii_uppercase())
            && cell.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        valid.then(|| cell.to_owned())
    }

    /// Whether a column is one of these.
    fn has(&self, column: usize) -> bool {
        let all = [Some(self.id), self.name, self.key];
        all.contains(&Some(column)) || self.translations.iter().any(|(_, c)| *c == column)
    }
}

/// A row whose identifier is taken, and the row of the same table that has it.
struct Taken {
    id: String,
    row: usize,
    by: Option<usize>,
}

/// A cell that should name a member and names none.
pub(super) struct UnknownCell {
    kind: KindId,
    word: Word,
    /// Several members are written with these letters.
    several: bool,
}

/// The cell of a row; empty if there is no such column.
fn cell_of(row: &Row, column: Option<usize>) -> &str {
    column.and_then(|c| row.cells.get(c)).map_or("", |cell| cell.trim())
}

impl Checker {
    /// Declares the members of a table.
    pub(super) fn table_members(&mut self, table: &Table) {
        let Some(k) = self.kind_named(&table.kind) else { return };
        let Some((header, rows)) = self.table(&table.file, table.called.is_some()) else { return };
        let Some(columns) = self.name_columns(table, &header) else { return };
        let (mut wrong, mut taken) = (Vec::new(), Vec::new());
        let mut first: HashMap<String, usize> = HashMap::new();
        for (n, row) in rows.iter().enumerate() {
            let Some(id) = columns.id(row) else {
                wrong.push(n);
                continue;
            };
            if let Some((_, found)) = self.gone_rows.get_mut(&id) {
                *found = true;
                continue;
            }
            if first.contains_key(&id) || self.names.get(&id).is_some() {
                taken.push(Taken { by: first.get(&id).copied(), id, row: n });
                continue;
            }
            first.insert(id.clone(), n);
            let place = self.model.kinds[k.i()].members.len();
            let label = label_of(&columns, row, table.file.span);
            // The place of the row matters only for reports.
            self.member(k, &Word { text: id, span: table.file.span }, Some(&label), &[]);
            self.spell(k, cell_of(row, columns.key), place as u16);
        }
        self.report_wrong_ids(table, &columns, (&header, &rows), &wrong);
        self.report_taken(k, table, &columns, &rows, taken);
    }

    /// The columns of names; one that does not exist is reported.
    fn name_columns(&mut self, table: &Table, header: &[String]) -> Option<Columns> {
        let find = |name: &str| header.iter().position(|h| h.trim() == name);
        let Some(called) = &table.called else {
            let translations = find("ja").map(|c| ("ja".to_owned(), c)).into_iter().collect();
            return Some(Columns { id: 0, made: false, name: find("name"), translations, key: None });
        };
        let mut found = |word: &Word| {
            let at = find(&word.text);
            if at.is_none() {
                self.no_column(table, word, header);
            }
            at
        };
        let id = found(&called.column);
        let translations: Vec<Option<(String, usize)>> =
            called.translations.iter().map(|(lang, word)| Some((lang.clone(), found(word)?))).collect();
        let id = id?;
        let key = find("id").filter(|key| *key != id);
        Some(Columns {
            id,
            made: true,
            name: Some(id),
            translations: translations.into_iter().flatten().collect(),
            key,
        })
    }

    fn no_column(&mut self, table: &Table, word: &Word, header: &[String]) {
        let help = match closest(&word.text, header.iter().map(|h| h.trim())) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("its columns are {}", list(header, 12)),
        };
        let message = format!("\"{}\" has no column `{}`", table.file.text, word.text);
        self.report(Diagnostic::error("law::file", message, word.span, "no such column").help(help));
    }

    /// The place of a cell, or of its row if it is empty.
    fn place_of_cell(&mut self, file: &Label, row: &Row, column: usize) -> Span {
        let spot = row.spots.get(column).filter(|spot| !spot.is_empty()).unwrap_or(&row.at).clone();
        self.within(file, spot)
    }

    fn report_wrong_ids(
        &mut self,
        table: &Table,
        columns: &Columns,
        (header, rows): (&[String], &[Row]),
        wrong: &[usize],
    ) {
        let Some(first) = wrong.first().and_then(|n| rows.get(*n)) else { return };
        if columns.made {
            let (empty, other): (Vec<usize>, Vec<usize>) =
                wrong.iter().partition(|n| cell_of(&rows[**n], Some(columns.id)).is_empty());
            let column = header.get(columns.id).map_or("", |h| h.trim());
            self.report_empty_names(table, columns.id, (column, rows), &empty);
            self.report_unmade(table, columns.id, (column, rows), &other);
            return;
        }
        let mut help = String::from("an id begins with a capital and has letters, digits and `_` only");
        if let Some(column) = names_in(header, rows) {
            help += &format!("; or write `called {column}` after the file: identifiers are made of that column");
        }
        let ids: Vec<String> = wrong.iter().map(|n| cell_of(&rows[*n], Some(0)).to_owned()).collect();
        let (message, label) = match ids.as_slice() {
            [id] => (format!("\"{id}\" is not a valid name for a member"), "this row"),
            ids => (
                format!("{} of {} ids are not valid names for members: {}", ids.len(), rows.len(), list(ids, NAMED)),
                "the first of them",
            ),
        };
        let at = self.within(&table.file, first.at.clone());
        self.report(Diagnostic::error("law::file", message, at, label).and(table.file.span, "read here").help(help));
    }

    fn report_empty_names(&mut self, table: &Table, column: usize, (name, rows): (&str, &[Row]), wrong: &[usize]) {
        let Some(first) = wrong.first().and_then(|n| rows.get(*n)) else { return };
        let lines: Vec<String> = wrong.iter().take(NAMED).map(|n| rows[*n].line.to_string()).collect();
        let message = match wrong.len() {
            1 => format!("this row has no name in the column `{name}`"),
            n if n > NAMED => {
                format!("{n} rows have no name in the column `{name}`: lines {}, ...", lines.join(", "))
            }
            n => format!("{n} rows have no name in the column `{name}`: lines {}", lines.join(", ")),
        };
        let at = self.place_of_cell(&table.file, first, column);
        let label = if wrong.len() == 1 { "no name" } else { "the first of them" };
        self.report(
            Diagnostic::error("law::file", message, at, label)
                .and(table.file.span, "read here")
                .help("write a name in the cell, or remove the row"),
        );
    }

    fn report_unmade(&mut self, table: &Table, column: usize, (name, rows): (&str, &[Row]), wrong: &[usize]) {
        let Some(first) = wrong.first().and_then(|n| rows.get(*n)) else { return };
        let names: Vec<String> = wrong.iter().map(|n| cell_of(&rows[*n], Some(column)).to_owned()).collect();
        let (message, label) = match names.as_slice() {
            [one] => (format!("no identifier can be made of \"{one}\""), "this name"),
            all => (
                format!(
                    "no identifiers can be made of {} names in the column `{name}`: {}",
                    all.len(),
                    list(all, NAMED)
                ),
                "the first of them",
            ),
        };
        let at = self.place_of_cell(&table.file, first, column);
        self.report(Diagnostic::error("law::file", message, at, label).and(table.file.span, "read here").help(
            "it must begin with a Latin letter, and have no letters of other scripts; a column of names in \
                 another language stands after it: `called COLUMN ja COLUMN`",
        ));
    }

    fn report_taken(&mut self, k: KindId, table: &Table, columns: &Columns, rows: &[Row], taken: Vec<Taken>) {
        let Some(first) = taken.first() else { return };
        let place = |c: &mut Checker, row: usize| match columns.made {
            true => c.place_of_cell(&table.file, &rows[row], columns.id),
            false => c.within(&table.file, rows[row].at.clone()),
        };
        let at = place(self, first.row);
        let by = first.by.map(|row| place(self, row));
        if let ([one], true) = (taken.as_slice(), by.is_none() || !columns.made) {
            let label = label_of(columns, &rows[one.row], table.file.span);
            self.member(k, &Word { text: one.id.clone(), span: at }, Some(&label), &[]);
            return;
        }
        let symbol = Symbol::Member(k, 0);
        let earlier = by.or_else(|| self.names.declare(&first.id, symbol, at)).unwrap_or(table.file.span);
        let text = |row: usize| cell_of(&rows[row], Some(columns.id)).to_owned();
        let message = match (taken.as_slice(), first.by) {
            ([one], Some(by)) => {
                format!("\"{}\" and \"{}\" both make the identifier `{}`", text(by), text(one.row), one.id)
            }
            (all, _) => {
                let ids: Vec<String> = all.iter().map(|t| text(t.row)).collect();
                format!("{} rows have names that are taken: {}", ids.len(), list(&ids, NAMED))
            }
        };
        let label = if taken.len() == 1 { "the second" } else { "the first of them" };
        let help = match columns.made {
            true => "change one of the names, or make the identifiers of another column: `called COLUMN`",
            false => "choose other names: a game has one namespace",
        };
        self.report(Diagnostic::error("law::duplicate", message, at, label).and(earlier, "taken here").help(help));
        for one in taken {
            let span = place(self, one.row);
            self.unclear.second.insert(span);
            self.unclear.names.insert(one.id);
        }
    }

    /// Notes how the members of all kinds may be written in cells.
    pub(super) fn spell_members(&mut self) {
        for k in 0..self.model.kinds.len() {
            for m in 0..self.model.kinds[k].members.len() {
                let member = &self.model.kinds[k].members[m];
                let translations = member.name.translations.iter().map(|(_, text)| text.clone());
                let texts: Vec<String> =
                    [member.id.clone(), member.name.text.clone()].into_iter().chain(translations).collect();
                for text in texts {
                    self.spell(KindId(k as u16), &text, m as u16);
                }
            }
        }
    }

    fn spell(&mut self, kind: KindId, text: &str, member: u16) {
        let letters = letters(text);
        if !letters.is_empty() {
            let known = self.spelt.entry((kind, letters)).or_insert(Some(member));
            *known = known.filter(|m| *m == member);
        }
    }

    /// The member of a kind that a cell means: by its identifier, or by the letters of one of its names.
    fn named_in_cell(&self, kind: KindId, text: &str) -> Option<u16> {
        match self.names.get(text) {
            Some(Symbol::Member(k, m)) if k == kind => Some(m),
            _ => self.spelt.get(&(kind, letters(text))).copied().flatten(),
        }
    }

    /// The same; a cell that means none is noted.
    pub(super) fn member_in_cell(&self, kind: KindId, word: &Word, unknown: &mut Vec<UnknownCell>) -> Option<usize> {
        let found = self.named_in_cell(kind, &word.text).map(usize::from);
        if found.is_none() && !self.unclear.names.contains(&word.text) {
            let several = self.spelt.contains_key(&(kind, letters(&word.text)));
            unknown.push(UnknownCell { kind, word: word.clone(), several });
        }
        found
    }

    /// Reports the cells of a file that name no member: those of one kind together.
    pub(super) fn report_unknown_cells(&mut self, file: &Label, unknown: Vec<UnknownCell>) {
        let mut kinds: Vec<KindId> = unknown.iter().map(|cell| cell.kind).collect();
        kinds.sort();
        kinds.dedup();
        for kind in kinds {
            let cells: Vec<&UnknownCell> = unknown.iter().filter(|cell| cell.kind == kind).collect();
            let Some(first) = cells.first() else { continue };
            let called = self.model.kinds[kind.i()].name.clone();
            if cells.len() == 1 && !first.several {
                let names: Vec<String> = self.model.kinds[kind.i()].members.iter().map(|m| m.id.clone()).collect();
                self.unknown_among(&format!("{called} called"), &first.word, names.iter().map(String::as_str));
                continue;
            }
            let mut words: Vec<String> = cells.iter().map(|cell| cell.word.text.clone()).collect();
            words.sort();
            words.dedup();
            let (message, help) = match cells.as_slice() {
                [_] => (
                    format!("\"{}\" may mean more than one {called}", first.word.text),
                    String::from("write the identifier"),
                ),
                all => (
                    format!("{} cells of \"{}\" name no {called}: {}", all.len(), file.text, list(&words, NAMED)),
                    format!("write identifiers or names of the kind {called}"),
                ),
            };
            let label = if cells.len() == 1 { "not clear" } else { "the first of them" };
            self.report(Diagnostic::error("law::unknown-name", message, first.word.span, label).help(help));
        }
    }

    /// Gives the members of a table what its cells say.
    pub(super) fn table_values(&mut self, table: &Table) {
        let Some(Symbol::Kind(k)) = self.names.get(&table.kind.text) else { return };
        let Some((header, rows)) = self.table(&table.file, table.called.is_some()) else { return };
        let Some(columns) = self.name_columns(table, &header) else { return };
        let members: Vec<Option<(String, u16)>> = rows
            .iter()
            .map(|row| {
                let id = columns.id(row).filter(|id| !self.unclear.names.contains(id))?;
                match self.names.get(&id) {
                    Some(Symbol::Member(mk, m)) if mk == k => Some((id, m)),
                    _ => None,
                }
            })
            .collect();
        for (column, field) in self.columns_read((k, table), &columns, &header, &rows) {
            let ty = self.model.kinds[k.i()].fields[field].ty.clone();
            let mut wrong: Vec<(&str, &Row, &str)> = Vec::new();
            for (row, (id, m)) in rows.iter().zip(&members).filter_map(|(row, member)| Some((row, member.as_ref()?))) {
                let cell = row.cells.get(column).map_or("", String::as_str);
                if cell.is_empty() {
                    continue;
                }
                match self.cell(cell, &ty) {
                    Some(v) => self.give(k, field, *m, v, table.file.span),
                    None => {
                        self.unclear.values.insert((k, field, *m));
                        wrong.push((id, row, cell));
                    }
                }
            }
            self.report_wrong_cells(table, header[column].trim(), &ty, &wrong);
        }
    }

    /// The columns that are fields; the others are reported unless the table says that they are not read.
    fn columns_read(
        &mut self,
        (k, table): (KindId, &Table),
        columns: &Columns,
        header: &[String],
        rows: &[Row],
    ) -> Vec<(usize, usize)> {
        for word in &table.unread {
            if !header.iter().any(|h| h.trim() == word.text) {
                self.no_column(table, word, header);
            }
        }
        let known: Vec<String> = self.model.kinds[k.i()].fields.iter().map(|f| f.name.clone()).collect();
        let (mut read, mut unknown) = (Vec::new(), Vec::new());
        for (c, column) in header.iter().enumerate().map(|(c, column)| (c, column.trim())) {
            let field = known.iter().position(|f| f == column);
            let named = columns.has(c) && (!columns.made || field.is_none());
            if named || table.unread.iter().any(|word| word.text == column) {
                continue;
            }
            match field {
                Some(field) => read.push((c, field)),
                None if self.unclear.fields.contains(&(k, column.to_owned())) => {}
                None if rows.iter().all(|row| row.cells.get(c).is_none_or(String::is_empty)) => {}
                None => unknown.push(column.to_owned()),
            }
        }
        self.report_unknown_columns((k, table), columns, rows, &known, unknown);
        read
    }

    fn report_unknown_columns(
        &mut self,
        (k, table): (KindId, &Table),
        columns: &Columns,
        rows: &[Row],
        known: &[String],
        unknown: Vec<String>,
    ) {
        let kind = &table.kind.text;
        let (near, far): (Vec<String>, Vec<String>) =
            unknown.into_iter().partition(|c| closest(c, known.iter().map(String::as_str)).is_some());
        for column in near {
            let at = self.column(&table.file, &column);
            let all: Vec<Word> =
                rows.iter().filter_map(|row| Some(Word { text: columns.id(row)?, span: at })).collect();
            self.unclear_values(k, &column, all.iter());
            let word = Word { text: column, span: at };
            self.unknown_among(&format!("field of {kind} called"), &word, known.iter().map(String::as_str));
        }
        let message = match far.as_slice() {
            [] => return,
            [one] => format!("there is no field of {kind} called `{one}`"),
            all => format!("{} columns are not fields of {kind}: {}", all.len(), list(all, 2 * NAMED)),
        };
        let at = self.column(&table.file, &far[0]);
        let label = if far.len() == 1 { "unknown" } else { "the first of them" };
        let quoted = |c: &String| match c.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            true => c.clone(),
            false => format!("\"{c}\""),
        };
        let unread = far.iter().map(quoted).collect::<Vec<_>>().join(", ");
        self.report(
            Diagnostic::error("law::unknown-name", message, at, label).and(table.file.span, "read here").help(format!(
                "declare it in the kind, or write `without {unread}` after the file: then it is not read"
            )),
        );
    }

    fn report_wrong_cells(&mut self, table: &Table, column: &str, ty: &Ty, wrong: &[(&str, &Row, &str)]) {
        let Some((id, row, cell)) = wrong.first() else { return };
        let words = super::types::article(&self.words(ty));
        let number = matches!(ty.base, Base::Range(..)) && wrong.iter().all(|(.., cell)| cell.parse::<i64>().is_ok());
        let code = if number { "law::range" } else { "law::type" };
        let at = self.within(&table.file, row.at.clone());
        let (message, label, help) = match wrong.len() {
            1 => (
                format!("the `{column}` of `{id}` must be {words}, not \"{cell}\""),
                "in this row",
                "correct the cell, or the type of the field",
            ),
            n => {
                let mut cells: Vec<String> = Vec::new();
                for (.., cell) in wrong {
                    if !cells.iter().any(|c| c == cell) {
                        cells.push((*cell).to_owned());
                    }
                }
                (
                    format!("the `{column}` of {n} rows must be {words}, not {}", list(&cells, NAMED)),
                    "in the first of these rows",
                    "correct the cells, or the type of the field",
                )
            }
        };
        self.report(Diagnostic::error(code, message, at, label).and(table.file.span, "read here").help(help));
    }

    /// What a cell says, as a value of a type; `None` if it is none.
    pub(super) fn cell(&self, cell: &str, ty: &Ty) -> Option<Value> {
        let one = |base: &Base, s: &str| match base {
            Base::Text => Some(Value::Text(s.to_string())),
            Base::Bool => match s {
                "true" | "yes" | "1" => Some(Value::Int(1)),
                "false" | "no" | "0" => Some(Value::Int(0)),
                _ => None,
            },
            Base::Int => s.parse().ok().and_then(as_number).map(Value::Int),
            Base::Range(lo, hi) => s.parse().ok().filter(|v| lo <= v && v <= hi).map(Value::Int),
            Base::Member(k) => self.named_in_cell(*k, s).map(|m| Value::Int(i32::from(m))),
            _ => None,
        };
        if let Some(nobody) = self.absent_cell(cell, ty) {
            return Some(nobody);
        }
        match &ty.base {
            Base::Bag(of) => {
                let all = cell.split(['+', ';', '|']).map(str::trim).filter(|s| !s.is_empty());
                let copies = all.map(|s| match s.split_once(char::is_whitespace) {
                    Some((n, item)) if n.parse::<i64>().is_ok() => {
                        Some((n.parse().ok()?, one(of, item.trim())?.int()?))
                    }
                    _ => Some((1, one(of, s)?.int()?)),
                });
                self.counts(of, copies.collect::<Option<Vec<(i64, i32)>>>()?)
            }
            Base::Set(of) => {
                let items: Option<Vec<Value>> =
                    cell.split([';', '|']).map(str::trim).filter(|s| !s.is_empty()).map(|s| one(of, s)).collect();
                let lo = model::scalar_span(of, &self.model.kinds).0 as i32;
                let place = |i: i32| usize::try_from(i64::from(i) - i64::from(lo)).ok();
                Some(Value::Set(items?.iter().filter_map(|v| v.int()).filter_map(place).collect::<Set>()))
            }
            base => one(base, cell),
        }
    }
}

/// The name of a row, in all languages.
fn label_of(columns: &Columns, row: &Row, span: Span) -> Label {
    let translated = columns.translations.iter().map(|(lang, c)| (lang.clone(), cell_of(row, Some(*c)).to_owned()));
    Label {
        text: cell_of(row, columns.name).to_owned(),
        translations: translated.filter(|(_, text)| !text.is_empty()).collect(),
        span,
    }
}

/// A column of which an identifier for each row can be made; one that is called a name is preferred.
fn names_in<'h>(header: &'h [String], rows: &[Row]) -> Option<&'h str> {
    let good = |c: usize| {
        let mut made: Vec<String> = rows.iter().map_while(|row| identifier(cell_of(row, Some(c)))).collect();
        made.sort();
        made.dedup();
        made.len() == rows.len()
    };
    let mut order: Vec<usize> = (0..header.len()).collect();
    order.sort_by_key(|c| (!header[*c].starts_with("name"), *c == 0));
    order.into_iter().find(|c| good(*c)).map(|c| header[c].trim())
}
