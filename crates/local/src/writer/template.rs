//! A model's own chat template (Jinja, as transformers renders it), or ChatML for models that bring none.

use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, Error, ErrorKind, context};
use serde_json::Value;

use super::Prompt;
use crate::error::{LocalError, guard};

/// The format of most models that follow no other one.
const CHATML: &str = "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}";
/// The token that ends a turn of ChatML.
pub(crate) const CHATML_END: &str = "<|im_end|>";
/// Steps of a template at most; published ones need some hundreds.
const MAX_STEPS: u64 = 200_000;

/// A chat template and the special tokens it may name.
pub(crate) struct Template {
    source: String,
    bos: String,
    eos: String,
}

impl Template {
    /// A template of a source, ChatML without one.
    pub(crate) fn new(source: Option<&str>, bos: Option<&str>, eos: Option<&str>) -> Self {
        Self {
            source: without_marks(source.unwrap_or(CHATML)),
            bos: bos.unwrap_or_default().to_owned(),
            eos: eos.unwrap_or_default().to_owned(),
        }
    }

    /// The prompt as the model was taught to read it, up to where its answer begins. A template that takes no system's message gets that text
    /// at the head of the user's.
    ///
    /// # Errors
    /// `Unreadable` when the template cannot be rendered.
    pub(crate) fn render(&self, prompt: &Prompt) -> Result<String, LocalError> {
        guard("the chat template", || {
            if prompt.system.is_empty() {
                return self.messages(&[("user", &prompt.user)]);
            }
            let both = [("system", prompt.system.as_str()), ("user", &prompt.user)];
            self.messages(&both).or_else(|first| {
                let joined = format!("{}\n\n{}", prompt.system, prompt.user);
                self.messages(&[("user", &joined)]).map_err(|_| first)
            })
        })
    }

    fn messages(&self, messages: &[(&str, &str)]) -> Result<String, LocalError> {
        let messages: Vec<minijinja::Value> = messages
            .iter()
            .map(|(role, content)| context! { role => *role, content => *content })
            .collect();
        let mut environment = Environment::new();
        environment
            .set_unknown_method_callback(minijinja_contrib::pycompat::unknown_method_callback);
        environment.set_fuel(Some(MAX_STEPS));
        environment.add_function("raise_exception", |why: String| -> Result<String, Error> {
            Err(Error::new(ErrorKind::InvalidOperation, why))
        });
        SyntaxConfig::builder()
            .trim_blocks(true)
            .lstrip_blocks(true)
            .build()
            .map(|syntax| environment.set_syntax(syntax))
            .and_then(|()| environment.template_from_str(&self.source))
            .and_then(|template| {
                template.render(context! {
                    messages,
                    add_generation_prompt => true,
                    enable_thinking => false,
                    bos_token => self.bos.as_str(),
                    eos_token => self.eos.as_str(),
                })
            })
            .map_err(|error| {
                LocalError::unreadable(format!(
                    "the model's chat template cannot be rendered: {error}; get tokenizer_config.json (or chat_template.jinja) again"
                ))
            })
    }
}

/// The template in `chat_template` of `tokenizer_config.json`: a text, or a list of named ones, of which that for plain chats counts.
pub(crate) fn in_settings(value: &Value) -> Option<&str> {
    if let Some(list) = value.as_array() {
        let is_plain = |entry: &&Value| entry["name"] != "tool_use" && entry["name"] != "rag";
        let named = list.iter().find(is_plain);
        return named.and_then(|entry| entry["template"].as_str());
    }
    value.as_str()
}

/// Makes the marks of answers for training (`{% generation %}`), which only transformers knows, into blocks that change nothing.
fn without_marks(source: &str) -> String {
    let mut out = String::with_capacity(source.len());
    let mut rest = source;
    while let Some((text, block)) = rest.split_once("{%") {
        out.push_str(text);
        out.push_str("{%");
        rest = block;
        if let Some((inside, after)) = block.split_once("%}") {
            let word = inside.trim_matches(['-', '+']).trim();
            let other = match word {
                "generation" => "if true",
                "endgeneration" => "endif",
                _ => continue,
            };
            out.push_str(&inside.replace(word, other));
            out.push_str("%}");
            rest = after;
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prompt(system: &str, user: &str) -> Prompt {
        Prompt {
            system: system.to_owned(),
            user: user.to_owned(),
        }
    }

    #[test]
    fn chatml_serves_where_there_is_no_template() {
        let template = Template::new(None, None, None);
        assert_eq!(
            template.render(&prompt("Be brief.", "Hi")).unwrap(),
            "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n"
        );
    }

    #[test]
    fn a_template_without_system_gets_one_message() {
        let source = "{% for m in messages %}{% if m.role == 'system' %}{{ raise_exception('no system') }}{% endif %}[{{ m.content.strip() }}]{% endfor %}{{ eos_token }}";
        let template = Template::new(Some(source), None, Some("</s>"));
        assert_eq!(
            template.render(&prompt("Be brief.", "Hi ")).unwrap(),
            "[Be brief.\n\nHi]</s>"
        );
    }

    #[test]
    fn marks_of_answers_change_nothing() {
        let source = "a{%- generation %}b{% endgeneration -%} c{% if true %}d{% endif %}";
        let template = Template::new(Some(source), None, None);
        assert_eq!(template.render(&prompt("", "")).unwrap(), "abcd");
    }

    #[test]
    fn broken_and_endless_templates_are_errors() {
        for source in [
            "{% for %}",
            "{{ raise_exception('never') }}",
            "{% for a in range(9999) %}{% for b in range(9999) %}x{% endfor %}{% endfor %}",
            "{{ messages[7].content.strip() }}",
        ] {
            let template = Template::new(Some(source), None, None);
            assert!(template.render(&prompt("", "")).is_err(), "{source}");
        }
    }
}
