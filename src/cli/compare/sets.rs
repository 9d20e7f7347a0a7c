//! Which sets of rules are compared.

use lawspeaker::compare::Side;
use lawspeaker::facts::{self, Settings};
use lawspeaker::library::{self, Folder, Unusable};

use crate::cli::Stop;
use crate::cli::flags::{Setting, setting};
use crate::cli::revision;

/// The sets of rules beside the first; each flag gives one.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct SetArgs {
    /// Compare the rules with this variant (may be given several times, once for each set of rules).
    #[arg(long, value_name = "NAME")]
    variant: Vec<String>,
    /// Compare the rules with the settings of this preset (may be given several times, once for each set of rules).
    #[arg(long, value_name = "NAME")]
    preset: Vec<String>,
    /// Compare the rules with this option or reading set, as in `--with hand_size=7` (may be given several times, once
    /// for each set of rules).
    #[arg(long, value_name = "NAME=VALUE", value_parser = setting)]
    with: Vec<Setting>,
    /// Compare the rules with several settings at once, as they stand after `given GAME with`, for example `--given
    /// 'variant rivers, variant roads, hand_size 7'` (may be given several times, once for each set of rules).
    #[arg(long, value_name = "SETTINGS")]
    given: Vec<String>,
    /// Compare the rules of this folder or shipped game (may be given several times).
    #[arg(long, value_name = "FOLDER")]
    against: Vec<String>,
    /// Take the folder as it was at this revision of git as the first set of rules, and as it is now as the last; with
    /// several, those between are compared too.
    #[arg(long, value_name = "REVISION")]
    base: Vec<String>,
    /// Compare all sets of rules under these settings, as they stand after `given GAME with`.
    #[arg(long, value_name = "SETTINGS")]
    common: Option<String>,
}

impl SetArgs {
    /// The first set of rules, and the others in the order of the flags: revisions and the folder of now, variants,
    /// presets, options and readings, several settings at once, other folders.
    pub fn sides(&self, game: &str) -> Result<(Side, Vec<Side>), Stop> {
        let now = library::find(game)?;
        let common = self.common.as_deref().map_or_else(|| Ok(Settings::default()), settings)?;
        let mut folders: Vec<Folder> = Vec::new();
        for base in &self.base {
            folders.push(revision::folder_at(game, base)?);
        }
        folders.push(now.clone());
        let mut folders = folders.into_iter();
        let first = folders.next().unwrap_or_else(|| now.clone());
        let mut others: Vec<(Folder, Settings)> = folders.map(|folder| (folder, Settings::default())).collect();
        let variants = self.variant.iter().map(|name| Settings { variants: vec![name.clone()], ..Settings::default() });
        let presets = self.preset.iter().map(|name| Settings { preset: Some(name.clone()), ..Settings::default() });
        let with = self.with.iter().map(|one| Settings { options: vec![one.clone()], ..Settings::default() });
        others.extend(variants.chain(presets).chain(with).map(|settings| (now.clone(), settings)));
        for given in &self.given {
            others.push((now.clone(), settings(given)?));
        }
        for folder in &self.against {
            others.push((library::find(folder)?, Settings::default()));
        }
        if others.is_empty() {
            let help = "add --variant, --preset, --with or --given, or a second folder (--against), or a revision \
                        (--base)";
            return Err(Unusable::new("there is nothing to compare the game with", help).into());
        }
        let side = |(folder, own): (Folder, Settings)| {
            let mut settings = common.clone();
            settings.lay_over(&own);
            Side::new(folder, settings)
        };
        let others = others.into_iter().map(side).collect::<Result<_, _>>()?;
        Ok((side((first, Settings::default()))?, others))
    }
}

/// Settings as they stand after `given GAME with`.
fn settings(text: &str) -> Result<Settings, Unusable> {
    let read = facts::header(&format!("given game with {text}"));
    let read = read.map_err(|fault| {
        let help = "write them as in a case: 'variant rivers, hand_size 7, no open_hands, preset later'";
        Unusable::new(format!("these are no settings: {text} ({})", fault.message), help)
    })?;
    Ok(Settings { game: String::new(), ..read })
}
