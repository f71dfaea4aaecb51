//! `kinora storyboard`: previews a video before anything is spent: its script, scenes and drawn thumbnails, as JSON and one HTML page.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use kinora::CancelToken;
use kinora_studio::failure::Stage;
use kinora_studio::scene::Scene;
use kinora_studio::stages::{Production, Span, Studio};
use serde_json::{Value, json};
use std::sync::Arc;

use super::about::About;
use super::short::Wish;
use super::substitutes::{self, Early};
use super::universe::Told;
use super::{default_work, produce};
use crate::console;
use crate::failure::{Done, Failure};
use crate::{interrupt, music, output};

/// Preview a video before anything is spent: script, scenes and thumbnails
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    about: About,

    /// Read the request as one of the Universe interface
    #[arg(long, requires = "about")]
    universe: bool,

    #[command(flatten)]
    told: Told,

    /// The HTML page to write, with embedded thumbnails; the storyboard is also written beside it as OUT.json
    #[arg(short, long, value_name = "OUT.html")]
    output: PathBuf,

    #[command(flatten)]
    wish: Wish,

    /// Print progress and then the storyboard as JSON lines on stdout
    #[arg(long)]
    pub(crate) json: bool,
}

/// A thumbnail's longer side, px.
const THUMBNAIL_PX: u32 = 480;

pub(crate) fn run(args: &Args) -> Done {
    output::check(&args.output, "html")?;
    let mut brief = match &args.about.asked()? {
        Some(asked) if args.universe => args.told.brief(asked, args.wish.seed_for_universe()?)?,
        _ if args.told != Told::default() => {
            let message = "--settings, --audio, --audio-text and --cast require --universe";
            return Err(Failure::Usage(message.into()));
        }
        asked => args.wish.brief(asked.as_ref())?.0,
    };
    // Thumbnails are drawn small, and no clip is made.
    let longer = brief.size[0].max(brief.size[1]);
    brief.size = brief.size.map(|side| side * THUMBNAIL_PX / longer / 2 * 2);
    brief.clips = None;
    brief.music = None;
    let work = default_work()
        .ok_or_else(|| Failure::Usage("no home folder was found for the results".into()))?;
    let studio = Studio::offline(work, Arc::new(music::open(None)?))?;
    let cancel = CancelToken::default();
    interrupt::cancel_on_signal(cancel.clone())?;
    let early = substitutes::of(&brief, &studio);
    let early = early
        .into_iter()
        .filter(|early| early.stage != Stage::Pictures);
    let early = Early::say(early.collect(), args.json);
    let production = produce(&brief, &studio, &cancel, args.json)?;
    let board = board(&production);
    let page = page(&production)?;
    let json_path = args.output.with_extension("json");
    output::write_text(&json_path, &format!("{board:#}\n"))?;
    output::write_text(&args.output, &page)?;
    if args.json {
        console::json_line(
            &json!({ "event": "result", "output": args.output, "storyboard": board }),
        );
    } else {
        early.say_others(&production.notes);
        let n = production.script.scenes.len();
        console::say(&format!(
            "{}: {n} scenes; also {}",
            args.output.display(),
            json_path.display()
        ));
    }
    Ok(())
}

fn rows(production: &Production) -> impl Iterator<Item = (usize, &Scene, &Span)> {
    let pairs = production.script.scenes.iter().zip(&production.spans);
    pairs
        .enumerate()
        .map(|(i, (scene, span))| (i + 1, scene, span))
}

fn board(production: &Production) -> Value {
    let scenes = rows(production).map(|(n, scene, span)| {
        json!({
            "scene": n,
            "start": round(span.start),
            "end": round(span.end),
            "lines": scene.lines,
            "picture": scene.brief,
        })
    });
    json!({
        "title": production.script.title,
        "language": production.script.language,
        "duration_secs": production.spans.last().map(|span| round(span.end)),
        "timing": production.timing,
        "scenes": scenes.collect::<Vec<_>>(),
        "notes": production.notes,
    })
}

fn round(secs: f64) -> f64 {
    (secs * 1000.0).round() / 1000.0
}

const HEAD: &str = "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
<title>Storyboard</title>\n<style>\n:root { color-scheme: light dark; }\nbody { font: 1rem/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }\n\
ol { list-style: none; padding: 0; display: grid; gap: 1.5rem; grid-template-columns: repeat(auto-fill, minmax(14rem, 1fr)); }\n\
li img { width: 100%; height: auto; border-radius: .5rem; display: block; }\nli p { margin: .5rem 0 0; }\n.time, .picture { opacity: .7; font-size: .9rem; }\n</style>\n";

fn page(production: &Production) -> Result<String, Failure> {
    let title = production.script.title.as_deref().unwrap_or("Storyboard");
    let mut page = format!("{HEAD}<h1>{}</h1>\n<ol>\n", escaped(title));
    for (n, scene, span) in rows(production) {
        let name = production.timeline.shots[n - 1]
            .picture
            .as_deref()
            .unwrap_or_default();
        let picture = inlined(&production.folder.join(name))?;
        let said: Vec<String> = scene.lines.iter().map(|line| escaped(&line.text)).collect();
        // Writing to a string cannot fail.
        let _ = write!(
            page,
            "<li>\n<img alt=\"{alt}\" src=\"{picture}\">\n<p class=\"time\">{n} · {start:.1}–{end:.1} s</p>\n<p>{said}</p>\n<p class=\"picture\">{alt}</p>\n</li>\n",
            alt = escaped(&scene.brief),
            start = span.start,
            end = span.end,
            said = said.join("<br>"),
        );
    }
    page.push_str("</ol>\n</html>\n");
    Ok(page)
}

/// Returns a file as a data URI, so that the page is a single file.
fn inlined(path: &Path) -> Result<String, Failure> {
    use base64::Engine as _;
    let bytes = std::fs::read(path)
        .map_err(|e| Failure::Io(format!("{} cannot be read: {e}", path.display())))?;
    let kind = match path.extension().and_then(|e| e.to_str()) {
        Some("png") => "png",
        Some("webp") => "webp",
        _ => "jpeg",
    };
    let text = base64::engine::general_purpose::STANDARD.encode(bytes);
    Ok(format!("data:image/{kind};base64,{text}"))
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn a_script_cannot_leave_its_place_in_the_page() {
        assert_eq!(escaped("<b a=\"1\">&'"), "&lt;b a=&quot;1&quot;&gt;&amp;'");
    }
}
