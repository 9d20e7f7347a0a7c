//! The options of a decision in groups: by what they are about, then in their order.

use lawspeaker::game::{Choice, SeenOption};
use lawspeaker::lexicon::Lexicon;
use lawspeaker::model::{Base, KindId, Model, PLAYER};
use lawspeaker::spelling::fold;

/// Options that are about the same thing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Group {
    /// What they are about; empty if they are about different things.
    pub title: String,
    /// What that was brought as, if seats bring such things.
    pub brought: String,
    /// Whose that is.
    pub seat: Option<u16>,
    /// Their places among the options.
    pub options: Vec<usize>,
}

/// The options in groups, in the order in which the first of each stands. All are in one group if that helps nobody:
/// each would have its own.
pub fn groups(
    model: &Model,
    lang: &str,
    options: &[SeenOption],
    brought: &dyn Fn((KindId, u16)) -> Option<String>,
) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for (i, option) in options.iter().enumerate() {
        let about = about(model, option);
        let title = about.map_or_else(String::new, |(kind, member)| Lexicon::new(model, lang).member(kind, member));
        match groups.iter_mut().find(|group| group.title == title) {
            Some(group) => group.options.push(i),
            None => groups.push(Group {
                title,
                brought: about.and_then(brought).unwrap_or_default(),
                seat: about.and_then(|of| owner(model, of)),
                options: vec![i],
            }),
        }
    }
    let [_, _, ..] = groups.as_slice() else {
        return vec![Group { options: (0..options.len()).collect(), ..Group::default() }];
    };
    match groups.iter().any(|group| !group.title.is_empty() && group.options.len() > 1) {
        true => groups,
        false => vec![Group { options: (0..options.len()).collect(), ..Group::default() }],
    }
}

/// What an option is about: the first member that its action names, but for a seat.
fn about(model: &Model, option: &SeenOption) -> Option<(KindId, u16)> {
    // What a seat does not know is not looked at.
    let choice = option.choices.first().filter(|_| !option.veiled)?;
    let Choice::Act(action, args) = choice else { return None };
    let params = &model.actions.get(action.i())?.params;
    params.iter().zip(args.as_slice()).find_map(|((_, ty), value)| match ty.base {
        Base::Member(kind) if kind != PLAYER => Some((kind, u16::try_from(*value).ok()?)),
        _ => None,
    })
}

/// The members that an option names.
pub fn named(model: &Model, option: &SeenOption) -> Vec<(KindId, u16)> {
    let choice = option.choices.first().filter(|_| !option.veiled);
    let Some(Choice::Act(action, args)) = choice else { return Vec::new() };
    let params = model.actions.get(action.i()).map_or(&[][..], |action| &action.params);
    let members = params.iter().zip(args.as_slice()).filter_map(|((_, ty), value)| match ty.base {
        Base::Member(kind) => Some((kind, u16::try_from(*value).ok()?)),
        _ => None,
    });
    members.collect()
}

/// The name of what an option is about.
pub fn subject(model: &Model, lang: &str, option: &SeenOption) -> Option<String> {
    about(model, option).map(|(kind, member)| Lexicon::new(model, lang).member(kind, member))
}

/// The seat to which a member belongs.
fn owner(model: &Model, (kind, member): (KindId, u16)) -> Option<u16> {
    model.owner_of(kind, i32::from(member)).and_then(|seat| u16::try_from(seat).ok())
}

/// Whether a text has all the words that were typed, each at the beginning of a word or after a sign.
pub fn matches(text: &str, typed: &str) -> bool {
    let text = fold(text);
    fold(typed).split(' ').filter(|word| !word.is_empty()).all(|word| {
        let starts = |at: usize| text.get(..at).and_then(|before| before.chars().next_back());
        text.match_indices(word).any(|(at, _)| starts(at).is_none_or(|c| !c.is_alphanumeric() || !c.is_ascii()))
    })
}

/// What typed text is completed to: the only option that has its words, or as much as all that begin so have in common.
pub fn completed<'a>(typed: &str, texts: impl Iterator<Item = &'a str> + Clone) -> Option<String> {
    let fits = texts.clone().filter(|text| matches(text, typed));
    let mut begun = texts.filter(|text| fold(text).starts_with(&fold(typed)));
    let (mut all, mut found) = (fits, Vec::new());
    if let (Some(only), None) = (all.next(), all.next()) {
        return Some(only.to_owned());
    }
    let first: Vec<char> = begun.next()?.chars().collect();
    found.extend(begun.map(|text| text.chars().zip(&first).take_while(|(a, b)| a == *b).count()));
    let common = found.into_iter().min().unwrap_or(first.len());
    let text: String = first.into_iter().take(common).collect();
    (text.chars().count() > typed.chars().count()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_wherever_they_begin() {
        assert!(matches("Éomer to Lórien", "eo lor"));
        assert!(matches("e2-e4", "e4") && matches("Théoden", "THEO"));
        assert!(!matches("Orcs to Rohan", "han") && matches("Orcs to Rohan", ""));
        assert!(matches("指輪の幽鬼 モリアへ", "モリア"));
    }

    #[test]
    fn what_is_typed_is_completed_as_far_as_it_is_certain() {
        let texts = ["Orcs to Rohan", "Orcs to Moria", "Warg to Moria"];
        let completed = |typed| completed(typed, texts.into_iter());
        assert_eq!(completed("o").as_deref(), Some("Orcs to "));
        assert_eq!(completed("orcs to "), None);
        assert_eq!(completed("wa").as_deref(), Some("Warg to Moria"));
        assert_eq!(completed("moria orcs").as_deref(), Some("Orcs to Moria"));
        assert_eq!(completed("x"), None);
    }
}
