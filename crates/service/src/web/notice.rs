//! Messages shown after an action: redirects name a row of this table, so that no text comes from a link.

const NOTICES: &[(&str, &str)] = &[
    ("welcome", "Welcome. Your account is ready."),
    ("created", "The video is on its way."),
    (
        "cancelled",
        "The video is being cancelled. Its credits will be returned.",
    ),
    ("ended", "It had already ended."),
    (
        "key-sent-before",
        "This form was already used to make a key, which was shown once. If you did not keep it, revoke it and make another.",
    ),
    (
        "webhook-sent-before",
        "This form was already used to add a webhook. If you did not keep its secret, delete it and add it again.",
    ),
    ("key-revoked", "The key was revoked and no longer works."),
    ("universe-saved", "The universe was saved."),
    (
        "universe-deleted",
        "The universe was deleted. Videos made in it stay.",
    ),
    (
        "character-saved",
        "Saved. Check what was recognized in the picture, correct it, and choose a voice.",
    ),
    ("character-changed", "The character was changed."),
    ("voice-saved", "The voice was saved."),
    ("character-deleted", "The character was deleted."),
    ("upload-saved", "The recording was saved."),
    ("upload-deleted", "The recording was deleted."),
    ("webhook-deleted", "The webhook was deleted."),
    (
        "password-changed",
        "The password was changed, and all other sessions were ended.",
    ),
];

/// Returns the text of a notice.
pub(super) fn text(name: &str) -> Option<&'static str> {
    let row = NOTICES.iter().find(|(known, _)| *known == name);
    row.map(|(_, text)| *text)
}
