//! Prints a script in its single canonical form.

use std::fmt;

use super::{Canonical, CanonicalShot, Elements, Speech};

impl fmt::Display for Canonical {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (scene, n_scene) in self.scenes.iter().zip(1..) {
            writeln!(
                f,
                "## Scene {n_scene}: {} ({}s)\n",
                scene.title,
                Secs(scene.secs)
            )?;
            for (shot, n_shot) in scene.shots.iter().zip(1..) {
                writeln!(
                    f,
                    "#### Shot {n_scene}.{n_shot} ({}s)\n{shot}",
                    Secs(shot.secs)
                )?;
            }
        }
        write!(f, "{}", self.elements)
    }
}

impl fmt::Display for CanonicalShot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.description
            .iter()
            .try_for_each(|line| writeln!(f, "{line}"))?;
        self.speech
            .iter()
            .try_for_each(|speech| writeln!(f, "{speech}"))
    }
}

impl fmt::Display for Speech {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.text.replace('\\', "\\\\").replace('"', "\\\"");
        write!(f, "@{}: \"{text}\"", self.handle)
    }
}

impl fmt::Display for Elements {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "## Reusable Elements")?;
        let lists = [
            ("Characters", &self.characters),
            ("Locations", &self.locations),
            ("Objects", &self.objects),
        ];
        lists.iter().try_for_each(|(label, handles)| {
            let handles: Vec<String> = handles.iter().map(|handle| format!("@{handle}")).collect();
            let list = if handles.is_empty() {
                "(none)".into()
            } else {
                handles.join(", ")
            };
            writeln!(f, "{label}: {list}")
        })
    }
}

/// Seconds with up to three decimals.
struct Secs(f64);

impl fmt::Display for Secs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("{:.3}", self.0);
        f.write_str(text.trim_end_matches('0').trim_end_matches('.'))
    }
}
