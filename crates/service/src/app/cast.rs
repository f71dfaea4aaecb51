//! The cast of a run: looks up saved characters and checks that all names are distinct.

use kinora_studio::request::{
    CharacterRef, FieldProblem, ProblemCode, UniverseRequest, same_handle,
};
use kinora_studio::script::canonical::{self, folded};

use crate::db::Account;
use crate::error::Answer;
use crate::order::Member;
use crate::state::App;

/// Returns the saved characters of a request in their current state. Another account's character counts as unknown.
///
/// # Errors
/// 400 for unknown characters, and for names that collide.
pub(super) async fn members(
    app: &App,
    account: &Account,
    request: &UniverseRequest,
) -> Answer<Vec<Member>> {
    let mut cast = Vec::new();
    let mut names = Vec::new();
    let mut problems = Vec::new();
    for (i, character) in request.characters.iter().enumerate() {
        let id = match character {
            CharacterRef::Saved(id) => *id,
            CharacterRef::Inline(inline) => {
                names.push((i, inline.name.clone()));
                continue;
            }
        };
        match app.db.character(&account.id, id).await? {
            Some(character) => {
                names.push((i, character.told.name.clone()));
                cast.push(Member {
                    name: character.told.name,
                    prompt: character.told.prompt,
                    voice: character.voice,
                    image: character.told.image,
                    is_measured: character.told.is_measured,
                });
            }
            None => problems.push(FieldProblem::invalid(
                format!("characters[{i}]"),
                format!("there is no saved character `{id}`; GET /characters lists the saved ones"),
            )),
        }
    }
    problems.extend(collisions(request.user_script.as_deref(), &names));
    if problems.is_empty() {
        Ok(cast)
    } else {
        Err(problems.into())
    }
}

/// Reports names that are used twice, with the positions of their owners: a script's handles would be ambiguous.
fn collisions(script: Option<&str>, names: &[(usize, String)]) -> Vec<FieldProblem> {
    let mut problems = Vec::new();
    for (n, (i, name)) in names.iter().enumerate() {
        let twin = names[..n].iter().find(|(_, o)| folded(o) == folded(name));
        let Some((first, _)) = twin else {
            continue;
        };
        problems.push(match script {
            Some(_) => ambiguous(same_handle(name, *first, *i)),
            None => FieldProblem::invalid(
                format!("characters[{i}]"),
                format!(
                    "the same as `characters[{first}]`: list each character once, with its own name"
                ),
            ),
        });
    }
    let Some(Ok(reading)) = script.map(canonical::parse) else {
        return problems;
    };
    let elements = reading.script.elements;
    for (kind, handles) in [
        ("location", &elements.locations),
        ("object", &elements.objects),
    ] {
        for handle in handles {
            let twin = names
                .iter()
                .find(|(_, name)| folded(name) == folded(handle));
            problems.extend(twin.map(|(i, name)| {
                ambiguous(format!(
                    "`@{handle}` is {} {kind} of the script, and `{name}` is the name of `characters[{i}]`: give one of them another name",
                    if kind == "object" { "an" } else { "a" },
                ))
            }));
        }
    }
    problems
}

fn ambiguous(reason: String) -> FieldProblem {
    FieldProblem {
        code: ProblemCode::NeedsCanonicalRewrite,
        field: "userScript".to_owned(),
        reason,
    }
}
