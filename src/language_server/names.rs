//! The names of a game: where each is declared and where it stands.
//!
//! Names of members, kinds, fields, variables, definitions, actions and procedures are those of the whole game. A
//! parameter, or a name that a statement or an expression gives, is known in its declaration only.

use std::collections::BTreeSet;

use crate::syntax::written::{Node, Rule, Written};

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
    /// Whether it is declared here.
    pub declares: bool,
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

/// All names of a game.
#[derive(Clone, Debug, Default)]
pub struct Index {
    /// The words, in the order of the files and of their texts.
    pub words: Vec<Word>,
    /// The declarations.
    pub outlines: Vec<Outline>,
}

impl Index {
    /// Reads the files of a game.
    #[must_use]
    pub fn new(files: &[(usize, &str)]) -> Index {
        let mut index = Index::default();
        for (file, text) in files {
            index.read(*file, text);
        }
        index
    }

    fn read(&mut self, file: usize, text: &str) {
        let written = Written::new(text);
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
            let named = reader.words.iter().find(|w| w.declares && !w.local);
            let line = text.get(stretch.range.clone()).unwrap_or("").lines().next().unwrap_or("");
            let name = named.map_or_else(|| line.trim_end_matches(" {").to_owned(), |w| w.text.clone());
            let (start, end) = (stretch.range.start, stretch.range.end);
            self.outlines.push(Outline { file, name, keyword, start, end });
            self.words.append(&mut reader.words);
        }
    }

    /// The word at a byte of a file.
    #[must_use]
    pub fn at(&self, file: usize, byte: usize) -> Option<&Word> {
        self.words.iter().find(|w| w.file == file && w.start <= byte && byte <= w.end)
    }

    /// The words that mean the same as one.
    pub fn same<'i>(&'i self, word: &'i Word) -> impl Iterator<Item = &'i Word> {
        self.words.iter().filter(move |w| {
            w.text == word.text
                && w.cited == word.cited
                && match word.local {
                    true => w.file == word.file && w.declaration == word.declaration,
                    false => !w.local,
                }
        })
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
        let local = first
            && matches!(
                parent.rule,
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
                    | R::quant
            );
        if local {
            self.locals.insert(text.clone());
        }
        let named = parent.rule == R::named || parent.rule == R::shared_ability && first;
        let declares = local
            || named
            || first
                && matches!(
                    parent.rule,
                    R::define
                        | R::var_decl
                        | R::action
                        | R::procedure
                        | R::kind
                        | R::grid
                        | R::links
                        | R::pile
                        | R::option
                        | R::reading
                        | R::choice
                        | R::preset
                        | R::field
                        | R::step
                        | R::bring
                        | R::game
                        | R::source
                        | R::variant
                );
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
