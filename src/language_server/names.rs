//! The names of a game: where each is declared and where it stands.
//!
//! Names of members, kinds, fields, variables, definitions, actions and procedures are those of the whole game. A
//! parameter, or a name that a statement or an expression gives, is known in its declaration only.

use std::collections::{BTreeMap, BTreeSet};

use crate::syntax::written::{Node, Rule, Written};

/// What a name is declared as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The game, a variant, a source.
    Game,
    /// A kind.
    Kind,
    /// A member or an ability.
    Member,
    /// A field.
    Field,
    /// A variable or a pile.
    Variable,
    /// A definition, links, a grid, what a seat brings.
    Definition,
    /// An action.
    Action,
    /// A procedure or a step.
    Procedure,
    /// An option, a reading or one of its alternatives, a preset.
    Option,
    /// A parameter, or a name that a statement or an expression gives.
    Local,
}

/// A word of the rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// The file, by its number.
    pub file: usize,
    /// Its first byte.
    pub start: usize,
    /// One past its last byte.
    pub end: usize,
    /// As written.
    pub text: String,
    /// Which declaration of the file it is in.
    pub declaration: usize,
    /// What it is declared as, if it is declared here.
    pub declares: Option<Role>,
    /// Whether it is a name that only its declaration knows.
    pub local: bool,
    /// Whether it is an id of the register, after `cite`, `note` or `manners`.
    pub cited: bool,
}

/// A declaration, for outlines.
#[derive(Clone, Debug)]
pub struct Outline {
    /// The file, by its number.
    pub file: usize,
    /// Its name, or how it begins.
    pub name: String,
    /// The word that it begins with.
    pub keyword: String,
    /// Its first byte.
    pub start: usize,
    /// One past its last byte.
    pub end: usize,
}

/// The names in one file.
#[derive(Clone, Debug, Default)]
struct Page {
    words: Vec<Word>,
    outlines: Vec<Outline>,
}

/// All names of a game.
#[derive(Clone, Debug, Default)]
pub struct Index {
    /// By the number of the file.
    pages: BTreeMap<usize, Page>,
    /// What the names of the whole game are declared as.
    roles: BTreeMap<String, Role>,
}

impl Index {
    /// Reads the files of a game.
    #[must_use]
    pub fn new<'t>(files: impl Iterator<Item = (usize, &'t str)>) -> Index {
        let pages = files.map(|(file, text)| (file, Page::new(file, text))).collect();
        let mut index = Index { pages, roles: BTreeMap::new() };
        index.gather();
        index
    }

    /// Reads one file again.
    pub fn read(&mut self, file: usize, text: &str) {
        self.pages.insert(file, Page::new(file, text));
        self.gather();
    }

    fn gather(&mut self) {
        let declared = self.pages.values().flat_map(|page| &page.words).filter(|w| !w.local);
        let roles = declared.filter_map(|w| Some((w.text.clone(), w.declares?))).collect();
        self.roles = roles;
    }

    /// The words, in the order of the files and of their texts.
    pub fn words(&self) -> impl Iterator<Item = &Word> {
        self.pages.values().flat_map(|page| &page.words)
    }

    /// The words of a file.
    #[must_use]
    pub fn of(&self, file: usize) -> &[Word] {
        self.pages.get(&file).map_or(&[], |page| &page.words)
    }

    /// The declarations.
    pub fn outlines(&self) -> impl Iterator<Item = &Outline> {
        self.pages.values().flat_map(|page| &page.outlines)
    }

    /// The declarations of a file.
    #[must_use]
    pub fn outlines_of(&self, file: usize) -> &[Outline] {
        self.pages.get(&file).map_or(&[], |page| &page.outlines)
    }

    /// The declaration around a byte of a file.
    #[must_use]
    pub fn around(&self, file: usize, byte: usize) -> Option<&Outline> {
        self.outlines_of(file).iter().find(|o| o.start <= byte && byte <= o.end)
    }

    /// What a name of the whole game is declared as.
    #[must_use]
    pub fn role(&self, name: &str) -> Option<Role> {
        self.roles.get(name).copied()
    }

    /// The word at a byte of a file.
    #[must_use]
    pub fn at(&self, file: usize, byte: usize) -> Option<&Word> {
        self.of(file).iter().find(|w| w.start <= byte && byte <= w.end)
    }

    /// The words that mean the same as one.
    pub fn same<'i>(&'i self, word: &'i Word) -> impl Iterator<Item = &'i Word> {
        self.words().filter(move |w| {
            w.text == word.text
                && w.cited == word.cited
                && match word.local {
                    true => w.file == word.file && w.declaration == word.declaration,
                    false => !w.local,
                }
        })
    }

    /// The words that a name of the whole game means.
    pub fn called<'i>(&'i self, name: &'i str) -> impl Iterator<Item = &'i Word> {
        self.words().filter(move |w| w.text == name && !w.local && !w.cited)
    }
}

impl Page {
    fn new(file: usize, text: &str) -> Page {
        let written = Written::new(text);
        let mut page = Page::default();
        for (declaration, stretch) in written.stretches.iter().enumerate() {
            let Ok(node) = &stretch.node else { continue };
            let mut reader =
                Reader { written: &written, file, declaration, words: Vec::new(), locals: BTreeSet::new() };
            reader.node(node, node);
            let locals = std::mem::take(&mut reader.locals);
            for word in &mut reader.words {
                word.local = locals.contains(&word.text) && !word.cited;
            }
            let keyword = written.word(node.tokens.start).to_owned();
            let named = reader.words.iter().find(|w| w.declares.is_some() && !w.local);
            let line = text.get(stretch.range.clone()).unwrap_or("").lines().next().unwrap_or("");
            let name = named.map_or_else(|| line.trim_end_matches(" {").to_owned(), |w| w.text.clone());
            let (start, end) = (stretch.range.start, stretch.range.end);
            page.outlines.push(Outline { file, name, keyword, start, end });
            page.words.append(&mut reader.words);
        }
        page
    }
}

struct Reader<'w, 't> {
    written: &'w Written<'t>,
    file: usize,
    declaration: usize,
    words: Vec<Word>,
    locals: BTreeSet<String>,
}

impl Reader<'_, '_> {
    fn node(&mut self, node: &Node, parent: &Node) {
        if node.is_token() {
            return self.token(node, parent);
        }
        for part in &node.parts {
            self.node(part, node);
        }
    }

    fn token(&mut self, node: &Node, parent: &Node) {
        use Rule as R;
        if !matches!(node.rule, R::low | R::cap | R::any_word | R::callee | R::cite_id) {
            return;
        }
        let Some(token) = self.written.tokens.get(node.tokens.start) else { return };
        let first = parent.parts.iter().find(|p| matches!(p.rule, R::low | R::cap)).is_some_and(|p| p == node);
        let text = self.written.word(node.tokens.start).to_owned();
        let declares = match parent.rule {
            R::named => Some(Role::Member),
            _ if first => role(parent.rule),
            _ => None,
        };
        if declares == Some(Role::Local) {
            self.locals.insert(text.clone());
        }
        self.words.push(Word {
            file: self.file,
            start: token.start,
            end: token.end,
            text,
            declaration: self.declaration,
            declares,
            local: false,
            cited: node.rule == R::cite_id,
        });
    }
}

/// What the first name in a part of the grammar is declared as there.
fn role(part: Rule) -> Option<Role> {
    use Rule as R;
    Some(match part {
        R::param
        | R::let_stmt
        | R::for_stmt
        | R::pick_stmt
        | R::draw_stmt
        | R::roll_stmt
        | R::pick_one
        | R::pick_several
        | R::pick_number
        | R::binder
        | R::quant => Role::Local,
        R::game | R::source | R::variant => Role::Game,
        R::kind => Role::Kind,
        R::shared_ability => Role::Member,
        R::field => Role::Field,
        R::var_decl | R::pile => Role::Variable,
        R::define | R::grid | R::links | R::bring => Role::Definition,
        R::action => Role::Action,
        R::procedure | R::step => Role::Procedure,
        R::option | R::reading | R::choice | R::preset => Role::Option,
        _ => return None,
    })
}
