//! Human-readable numbers, times and names.

use jiff::Timestamp;
use maud::{Markup, html};

use crate::media::Media;

/// Formats a count: `1 credit`, `2,000 credits`.
pub(super) fn count(n: u64, one: &str, many: &str) -> String {
    format!("{} {}", grouped(n), if n == 1 { one } else { many })
}

/// Formats a number: `1,234,567`.
pub(super) fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Formats a size: `1.2 MB`.
pub(super) fn size(n_bytes: u64) -> String {
    let n = n_bytes as f64;
    match n_bytes {
        0..1_000 => format!("{n_bytes} bytes"),
        1_000..1_000_000 => format!("{:.0} kB", n / 1e3),
        _ => format!("{:.1} MB", n / 1e6),
    }
}

/// Formats a duration: `48 s`, `2 min 5 s`.
pub(super) fn secs(secs: f64) -> String {
    let whole = secs.max(0.0).round() as u64;
    match (whole / 60, whole % 60) {
        (0, secs) => format!("{secs} s"),
        (minutes, 0) => format!("{minutes} min"),
        (minutes, secs) => format!("{minutes} min {secs} s"),
    }
}

/// Shows a time, given in milliseconds since 1970; the page's script converts it to the reader's time zone.
pub(super) fn time(ms: i64) -> Markup {
    let Ok(at) = Timestamp::from_millisecond(ms) else {
        return html! { "unknown" };
    };
    html! { time datetime=(at) { (at.strftime("%-d %b %Y, %H:%M UTC")) } }
}

/// Converts an API name into a label: `zoom-in` is `Zoom in`, `SpinClockwise` is `Spin clockwise`.
pub(super) fn title(name: &str) -> String {
    let is_screaming = !name.chars().any(|c| c.is_ascii_lowercase());
    let mut text = String::new();
    let mut before = ' ';
    for c in name.chars() {
        match c {
            '_' | '-' => text.push(' '),
            '/' => text.push_str(": "),
            c if text.is_empty() => text.extend(c.to_uppercase()),
            c if c.is_ascii_uppercase() && before.is_ascii_lowercase() => {
                text.push(' ');
                text.push(c.to_ascii_lowercase());
            }
            c if is_screaming => text.push(c.to_ascii_lowercase()),
            c => text.push(c),
        }
        before = c;
    }
    text
}

/// Shortens a URL of this service to its path, so that other names of the same host work too.
pub(super) fn local(url: &str, public_url: &str) -> String {
    let path = url
        .strip_prefix(public_url)
        .filter(|path| path.starts_with('/'));
    path.unwrap_or(url).to_owned()
}

/// Returns the path of a public object.
pub(super) fn media_path(media: &Media, public_url: &str, name: &str) -> String {
    local(&media.url(name), public_url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_titles() {
        for (name, due) in [
            ("zoom-in", "Zoom in"),
            ("SpinCounterClockwise", "Spin counter clockwise"),
            ("realistic_image/b_and_w", "Realistic image: b and w"),
            ("THREE_D_RENDER", "Three d render"),
            ("9:16", "9:16"),
            ("", ""),
        ] {
            assert_eq!(title(name), due);
        }
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!(count(1, "credit", "credits"), "1 credit");
        assert_eq!(count(1_234_567, "credit", "credits"), "1,234,567 credits");
        assert_eq!(
            (size(999), size(1_500), size(12_340_000)),
            ("999 bytes".into(), "2 kB".into(), "12.3 MB".into())
        );
        assert_eq!(
            (secs(59.6), secs(125.0), secs(0.2)),
            ("1 min".into(), "2 min 5 s".into(), "0 s".into())
        );
    }

    #[test]
    fn urls_of_this_service_become_paths() {
        assert_eq!(
            local("https://a.example/media/x.mp4", "https://a.example"),
            "/media/x.mp4"
        );
        assert_eq!(
            local("https://a.example.org/media/x.mp4", "https://a.example"),
            "https://a.example.org/media/x.mp4"
        );
    }
}
