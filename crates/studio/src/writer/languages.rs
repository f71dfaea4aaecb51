//! Scripts in Spanish and German: smaller grammars, which use the topic only where nothing has to agree with it.

use std::collections::HashSet;

use super::grammar::{self, Section, Template, section};
use super::phrases;
use super::random::Random;
use super::topic::{Mode, Pronoun, Topic};
use crate::scene::Script;
use crate::script::{self, SceneOptions, n_words, sentences};

const GRAMMARS: &[(&str, &str)] = &[
    ("es", include_str!("data/es.txt")),
    ("de", include_str!("data/de.txt")),
];

/// Scripts of up to this many words are a single line.
const MAX_LINE_WORDS: usize = 20;

/// Returns the language, if it has a grammar.
pub(super) fn written(language: &str) -> Option<&'static str> {
    let mut names = GRAMMARS.iter().map(|(name, _)| *name);
    names.find(|name| *name == language)
}

/// Writes a script in a language that is [`written`]. It is shorter than requested if the grammar is exhausted.
pub(super) fn write(
    prompt: &str,
    language: &'static str,
    family: char,
    target: usize,
    random: &mut Random,
) -> Script {
    let sections = GRAMMARS
        .iter()
        .find(|(name, _)| *name == language)
        .map_or_else(Vec::new, |(_, text)| grammar::read(text));
    let prompt = script::plain(prompt);
    let first = sentences(&prompt, language)
        .first()
        .copied()
        .unwrap_or(&prompt)
        .to_string();
    let topic = topic(&first, &sections, (language, target));
    let title = Some(grammar::upper_first(&phrases::first_words(
        &topic.premise,
        8,
    )));
    let teller = Teller {
        sections,
        topic,
        family,
        target,
    };
    let text = if target <= MAX_LINE_WORDS {
        teller.line(random)
    } else {
        teller.text(random)
    };
    Script {
        title,
        language: language.to_string(),
        scenes: script::scenes(&text, language, &SceneOptions::default()),
        notes: None,
    }
}

/// Returns the topic: the prompt's first sentence without `Haz un video sobre`.
fn topic(sentence: &str, sections: &[Section], (language, target): (&str, usize)) -> Topic {
    let leads: Vec<&str> = section(sections, "leads")
        .iter()
        .flat_map(Template::words)
        .collect();
    let words: Vec<&str> = sentence.split_whitespace().collect();
    let is_lead = |w: &str| {
        leads.contains(
            &w.to_lowercase()
                .trim_matches(|c: char| !c.is_alphanumeric()),
        )
    };
    let mut n_leads = words.iter().take_while(|w| is_lead(w)).count();
    // The article before the topic belongs to the topic.
    const ARTICLES: &str = "un una el la los las ein eine einen der die das";
    while n_leads > 0
        && ARTICLES
            .split(' ')
            .any(|a| a == words[n_leads - 1].to_lowercase())
    {
        n_leads -= 1;
    }
    // An article alone is not an introduction.
    let from = if n_leads >= 3 && n_leads < words.len() {
        n_leads
    } else {
        0
    };
    let premise = words[from..].join(" ");
    let premise = premise.trim_matches(|c: char| ".!,;:".contains(c));
    let most = (target / 2).clamp(4, 28);
    let premise = phrases::first_words(premise, most);
    let premise = if language == "de" {
        premise
    } else {
        lower_article(&premise)
    };
    Topic {
        mode: Mode::Theme,
        subject: premise.clone(),
        figure: premise.clone(),
        title: premise.clone(),
        premise,
        is_plural: false,
        pronoun: Pronoun::It,
        objects: Vec::new(),
        given: Vec::new(),
        hour: None,
        weather: None,
        words: Vec::new(),
    }
}

/// Changes `Un faro` to `un faro`; a name keeps its capital.
fn lower_article(premise: &str) -> String {
    const ARTICLES: &str = "Un Una El La Los Las Unos Unas Mi Dos Tres Cómo Por Qué";
    let first = premise.split(' ').next().unwrap_or_default();
    if ARTICLES.split(' ').any(|a| a == first) {
        return first.to_lowercase() + &premise[first.len()..];
    }
    premise.to_string()
}

struct Teller {
    sections: Vec<Section>,
    topic: Topic,
    family: char,
    target: usize,
}

impl Teller {
    fn expanded(&self, name: &str, random: &mut Random) -> Vec<String> {
        section(&self.sections, name)
            .iter()
            .filter(|t| t.fits(&self.topic, self.family))
            .map(|t| t.expand(&self.topic, None, random))
            .collect()
    }

    fn line(&self, random: &mut Random) -> String {
        let mut lines = self.expanded("line", random);
        random.shuffle(&mut lines);
        lines
            .into_iter()
            .min_by_key(|l| n_words(l).abs_diff(self.target))
            .unwrap_or_default()
    }

    fn text(&self, random: &mut Random) -> String {
        let one = |name: &str, random: &mut Random| {
            let mut all = self.expanded(name, random);
            random.shuffle(&mut all);
            all.into_iter().next().unwrap_or_default()
        };
        let [hook, premise, turn, close] =
            ["hook", "premise", "turn", "close"].map(|name| one(name, random));
        let mut total = n_words(&premise) + n_words(&close);
        let hook = if total + n_words(&hook) <= self.target {
            hook
        } else {
            String::new()
        };
        total += n_words(&hook);
        let body = self.expanded("body", random);
        let mut others: Vec<Vec<String>> = ["detail", "aside", "reflection"]
            .map(|name| self.expanded(name, random))
            .into();
        for list in &mut others {
            random.shuffle(list);
        }
        let most = self.target + (self.target / 20).max(3);
        let mut said: HashSet<String> = HashSet::new();
        // The key of a body line is its position; the other lines go in between.
        let mut told: Vec<(usize, String)> = Vec::new();
        let mut order: Vec<usize> = (0..body.len()).collect();
        order.sort_by_key(|i| (i * 7) % 5);
        let mut lines = order.into_iter().map(|i| (i * 1000, body[i].clone()));
        let mut idle = 0;
        for step in 0.. {
            if total >= self.target || idle > 12 {
                break;
            }
            let next = match step % 4 {
                0 | 2 => lines.next(),
                rest => others[if rest == 1 { 0 } else { 1 + (step / 4) % 2 }]
                    .pop()
                    .map(|l| (random.below(body.len().max(1)) * 1000 + 500, l)),
            };
            match next.filter(|(_, l)| n_words(l) + total <= most && !said.contains(l)) {
                Some((key, line)) => {
                    total += n_words(&line);
                    said.insert(line.clone());
                    told.push((key, line));
                    idle = 0;
                }
                None => idle += 1,
            }
        }
        told.sort_by_key(|(key, _)| *key);
        let lines: Vec<String> = told.into_iter().map(|(_, line)| line).collect();
        let mut paragraphs = vec![format!("{hook} {premise}").trim().to_string()];
        paragraphs.extend(lines.chunks(5).map(|chunk| chunk.join(" ")));
        let closing = if total + n_words(&turn) <= most {
            format!("{turn} {close}")
        } else {
            close
        };
        paragraphs.push(closing.trim().to_string());
        paragraphs.join("\n\n")
    }
}
