//! Problems of a request in the words of its form: fields by label, values in quotes, advice that applies to the form.

use kinora_studio::request::FieldProblem;

use super::form::{Field, Group};

/// Reasons in API terms: text that they start with or contain, the form field to report at (empty: their own), and the message.
const ROWS: &[(&str, &str, &str)] = &[
    (
        "one of `prompt` and `script`",
        "prompt",
        "Write a prompt, or a script of your own.",
    ),
    (
        "one of `prompt`, `userScript`",
        "prompt",
        "Write a prompt or a script, or choose a recording.",
    ),
    (
        "`prompt` and `script` are mutually exclusive",
        "script",
        "Write either a prompt or a script: one of the two must be empty.",
    ),
    (
        "`userScript` and `voiceoverKey` are mutually exclusive",
        "",
        "Give either a script or a recording: one of the two must be empty.",
    ),
    (
        "`audioKind` is `song`, which requires",
        "audioKind",
        "A song needs a recording: choose one above.",
    ),
    (
        "`voiceoverDuration` is given, which requires",
        "voiceoverDuration",
        "Only a recording has a length: choose one above, or leave this empty.",
    ),
    (
        "unless `aiStyleByDefault`",
        "visualStyles.0.name",
        "Describe at least one look, or have one invented for each video.",
    ),
    (
        "there is no saved character",
        "",
        "This character no longer exists. Choose another.",
    ),
    (
        "there is no voice `",
        "",
        "No voice of this service has this id. Choose one from the list, or leave it empty.",
    ),
    (
        "there is no uploaded audio",
        "",
        "This recording no longer exists. Choose another, or upload it again.",
    ),
];

/// Rewrites problems for people who see a form with these groups.
pub(super) fn told(groups: &[Group], problems: &[FieldProblem]) -> Vec<FieldProblem> {
    let fields: Vec<&Field> = groups.iter().flat_map(|group| &group.fields).collect();
    let one = |problem: &FieldProblem| {
        let row = ROWS.iter().find(|(sign, ..)| problem.reason.contains(sign));
        let (field, reason) = match row {
            Some((_, "", told)) => (problem.field.as_str(), (*told).to_owned()),
            Some((_, field, told)) => (*field, (*told).to_owned()),
            None => (problem.field.as_str(), sentence(&problem.reason, &fields)),
        };
        FieldProblem {
            code: problem.code,
            field: field.to_owned(),
            reason,
        }
    };
    problems.iter().map(one).collect()
}

/// Turns a reason into a sentence: quoted code becomes a field's label or a quoted value.
fn sentence(reason: &str, fields: &[&Field]) -> String {
    let mut text = String::new();
    for (i, piece) in reason.split('`').enumerate() {
        if i % 2 == 0 {
            text += piece;
            continue;
        }
        let named = fields.iter().find(|field| field.path == piece);
        let shown = named.map_or(piece, |field| field.label.as_str());
        text += &format!("“{shown}”");
    }
    let mut letters = text.chars();
    let first = letters.next().map(|c| c.to_uppercase().to_string());
    let end = if text.ends_with(['.', '?', '!']) {
        ""
    } else {
        "."
    };
    format!("{}{}{end}", first.unwrap_or_default(), letters.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::web::form::{Kind, field};

    #[test]
    fn reasons_are_in_the_words_of_the_form() {
        let groups = [Group::new(
            "All",
            vec![
                field("prompt", "Prompt", Kind::Line(Vec::new())),
                field("imageConfig.model", "Picture model", Kind::Number),
            ],
        )];
        for (field, reason, due_field, due) in [
            (
                "",
                "one of `prompt` and `script` is required, and neither contains any text",
                "prompt",
                "Write a prompt, or a script of your own.",
            ),
            (
                "a",
                "`loud` is not a number from 0 to 1",
                "a",
                "“loud” is not a number from 0 to 1.",
            ),
            (
                "b",
                "does not work with `imageConfig.model`",
                "b",
                "Does not work with “Picture model”.",
            ),
        ] {
            let told = told(&groups, &[FieldProblem::invalid(field, reason)]);
            assert_eq!(
                (told[0].field.as_str(), told[0].reason.as_str()),
                (due_field, due)
            );
        }
    }
}
