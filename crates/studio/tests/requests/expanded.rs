//! What tables of requests abbreviate.

/// `<<x*10>>` written out.
pub fn expanded(text: &str) -> String {
    let Some((before, rest)) = text.split_once("<<") else {
        return text.to_owned();
    };
    let (inner, after) = rest.split_once(">>").unwrap();
    let (text, n) = inner.rsplit_once('*').unwrap();
    format!(
        "{before}{}{}",
        text.repeat(n.parse().unwrap()),
        expanded(after)
    )
}
