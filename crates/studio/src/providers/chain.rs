//! Several providers in order of preference: each is a fallback for those before it.

use std::sync::Arc;

use super::{
    AlignAsk, AlignProvider, Answer, BriefAsk, Call, ClipAsk, ClipFile, ClipProvider, Picture,
    PictureAsk, PictureProvider, ScriptAsk, ScriptProvider, Speech, SpeechAsk, SpokenToken,
    VoiceProvider,
};
use crate::failure::{Failure, FailureKind, Stage};
use crate::scene::Script;

/// Providers in order. A chain is itself a provider of the same kind; its model lists all of them, as any of them may have answered.
#[derive(Debug)]
pub struct Chain<T: ?Sized> {
    links: Vec<Link<T>>,
    name: String,
    model: String,
}

#[derive(Debug)]
struct Link<T: ?Sized> {
    name: String,
    provider: Arc<T>,
}

/// Returns whether the next provider may succeed. Invalid input and a cancelled run fail everywhere.
fn moves_on(kind: FailureKind) -> bool {
    use FailureKind::{
        BadAnswer, NotConfigured, RateLimited, Refused, TimedOut, Unauthorized, Unavailable,
    };
    matches!(
        kind,
        Unavailable | TimedOut | RateLimited | BadAnswer | Refused | NotConfigured | Unauthorized
    )
}

impl<T: ?Sized> Chain<T> {
    fn build(providers: Vec<(String, String, Arc<T>)>) -> Chain<T> {
        let join = |texts: Vec<&str>| texts.join(" > ");
        Chain {
            name: join(providers.iter().map(|(name, ..)| name.as_str()).collect()),
            model: providers
                .iter()
                .map(|(name, model, _)| format!("{name} {model}"))
                .collect::<Vec<_>>()
                .join(" > "),
            links: providers
                .into_iter()
                .map(|(name, _, provider)| Link { name, provider })
                .collect(),
        }
    }

    /// Returns the providers to call: all, or those before the last substitute.
    fn asked(&self, call: &Call) -> &[Link<T>] {
        let end = call.before.as_ref();
        let end = end.and_then(|name| self.links.iter().position(|link| link.name == *name));
        &self.links[..end.unwrap_or(self.links.len())]
    }

    /// Returns whether the chain has no provider.
    pub fn is_empty(&self) -> bool {
        self.links.is_empty()
    }

    /// Returns the first answer. Its notes list the providers that failed before.
    fn first<R>(
        &self,
        stage: Stage,
        call: &Call,
        ask: impl Fn(&T) -> Result<Answer<R>, Failure>,
    ) -> Result<Answer<R>, Failure> {
        let mut failures: Vec<(&str, Failure)> = Vec::new();
        for (i, link) in self.asked(call).iter().enumerate() {
            if call.cancel.is_cancelled() {
                return Err(
                    Failure::new(stage, FailureKind::Cancelled, "cancelled").by(&link.name, None)
                );
            }
            match ask(&link.provider) {
                Ok(mut answer) => {
                    answer.notes.extend(told(&failures, &link.name));
                    answer.substitute = (i > 0).then(|| link.name.clone());
                    return Ok(answer);
                }
                Err(failure) if moves_on(failure.kind) => failures.push((&link.name, failure)),
                Err(failure) => return Err(failure),
            }
        }
        Err(all_failed(stage, failures))
    }
}

/// Notes the providers that failed before `name` answered.
fn told(failures: &[(&str, Failure)], name: &str) -> Vec<String> {
    let failures = failures.iter();
    failures
        .map(|(before, failure)| {
            format!("{before} failed ({}); used {name} instead", failure.message)
        })
        .collect()
}

/// Combines all failures into one. Its kind is a retryable one if there is any, as one recovered provider is enough.
fn all_failed(stage: Stage, mut failures: Vec<(&str, Failure)>) -> Failure {
    if failures.len() == 1 {
        return failures.remove(0).1;
    }
    let hopeful = failures
        .iter()
        .position(|(_, failure)| failure.is_retryable())
        .unwrap_or(0);
    let Some((_, chosen)) = failures.get(hopeful) else {
        let message = format!("no provider is configured: name one under [{stage}] in kinora.toml");
        return Failure::new(stage, FailureKind::NotConfigured, message);
    };
    let told: Vec<String> = failures
        .iter()
        .map(|(name, failure)| format!("{name}: {}", failure.message))
        .collect();
    let names: Vec<&str> = failures.iter().map(|(name, _)| *name).collect();
    let message = format!(
        "all {} providers failed: {}",
        failures.len(),
        told.join("; ")
    );
    Failure::new(stage, chosen.kind, message).by(names.join(", "), chosen.status)
}

macro_rules! chain_of {
    ($provider:ident) => {
        impl Chain<dyn $provider> {
            /// Creates a chain in this order.
            pub fn of(providers: Vec<Arc<dyn $provider>>) -> Chain<dyn $provider> {
                let described = providers
                    .into_iter()
                    .map(|p| (p.name().to_owned(), p.model().to_owned(), p));
                Chain::build(described.collect())
            }
        }
    };
}
chain_of!(ScriptProvider);
chain_of!(VoiceProvider);
chain_of!(PictureProvider);
chain_of!(ClipProvider);
chain_of!(AlignProvider);

impl ScriptProvider for Chain<dyn ScriptProvider> {
    fn name(&self) -> &str {
        &self.name
    }

    fn model(&self) -> &str {
        &self.model
    }

    fn writes(&self, language: &str) -> bool {
        self.links.iter().any(|link| link.provider.writes(language))
    }

    fn write(&self, ask: &ScriptAsk, call: &Call) -> Result<Answer<Script>, Failure> {
        self.first(Stage::Script, call, |provider| provider.write(ask, call))
    }

    /// Asks the first provider that can rewrite at all.
    fn rewrite(&self, text: &str, call: &Call) -> Result<Option<String>, Failure> {
        let mut failures = Vec::new();
        for link in &self.links {
            match link.provider.rewrite(text, call) {
                Ok(None) => {}
                Ok(script) => return Ok(script),
                Err(failure) if moves_on(failure.kind) => {
                    failures.push((link.name.as_str(), failure))
                }
                Err(failure) => return Err(failure),
            }
        }
        match failures.is_empty() {
            true => Ok(None),
            false => Err(all_failed(Stage::Script, failures)),
        }
    }

    /// Asks the first provider that can do this at all; the notes list the providers that failed before.
    fn brief(&self, ask: &BriefAsk, call: &Call) -> Result<Option<Answer<Vec<String>>>, Failure> {
        let mut failures = Vec::new();
        for link in self.asked(call) {
            match link.provider.brief(ask, call) {
                Ok(None) => {}
                Ok(Some(mut answer)) => {
                    answer.notes.extend(told(&failures, &link.name));
                    return Ok(Some(answer));
                }
                Err(failure) if moves_on(failure.kind) => {
                    failures.push((link.name.as_str(), failure))
                }
                Err(failure) => return Err(failure),
            }
        }
        match failures.is_empty() {
            true => Ok(None),
            false => Err(all_failed(Stage::Scenes, failures)),
        }
    }
}

impl VoiceProvider for Chain<dyn VoiceProvider> {
    fn name(&self) -> &str {
        &self.name
    }

    fn model(&self) -> &str {
        &self.model
    }

    fn speaks(&self, language: &str) -> bool {
        self.links.iter().any(|link| link.provider.speaks(language))
    }

    fn speak(&self, ask: &SpeechAsk, call: &Call) -> Result<Answer<Speech>, Failure> {
        self.first(Stage::Voice, call, |provider| {
            match provider.speaks(&ask.language) {
                true => provider.speak(ask, call),
                false => {
                    let message = format!("it does not speak the language {:?}", ask.language);
                    Err(
                        Failure::new(Stage::Voice, FailureKind::NotConfigured, message)
                            .by(provider.name(), None),
                    )
                }
            }
        })
    }
}

impl PictureProvider for Chain<dyn PictureProvider> {
    fn name(&self) -> &str {
        &self.name
    }

    fn model(&self) -> &str {
        &self.model
    }

    fn reads_sentences(&self) -> bool {
        let mut links = self.links.iter();
        links.any(|link| link.provider.reads_sentences())
    }

    fn paint(
        &self,
        ask: &PictureAsk,
        references: &[Vec<u8>],
        call: &Call,
    ) -> Result<Answer<Picture>, Failure> {
        self.first(Stage::Pictures, call, |provider| {
            provider.paint(ask, references, call)
        })
    }
}

impl ClipProvider for Chain<dyn ClipProvider> {
    fn name(&self) -> &str {
        &self.name
    }

    fn model(&self) -> &str {
        &self.model
    }

    fn reads_sentences(&self) -> bool {
        let mut links = self.links.iter();
        links.any(|link| link.provider.reads_sentences())
    }

    fn animate(
        &self,
        ask: &ClipAsk,
        picture: &Picture,
        call: &Call,
    ) -> Result<Answer<ClipFile>, Failure> {
        self.first(Stage::Clips, call, |provider| {
            provider.animate(ask, picture, call)
        })
    }
}

impl AlignProvider for Chain<dyn AlignProvider> {
    fn name(&self) -> &str {
        &self.name
    }

    fn model(&self) -> &str {
        &self.model
    }

    fn align(&self, ask: &AlignAsk<'_>, call: &Call) -> Result<Answer<Vec<SpokenToken>>, Failure> {
        self.first(Stage::Voice, call, |provider| provider.align(ask, call))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::{Duration, Instant};

    use kinora::CancelToken;

    use super::*;

    /// A test provider that writes its own name, or fails.
    #[derive(Debug)]
    struct Writer(&'static str, Option<FailureKind>, AtomicUsize);

    impl ScriptProvider for Writer {
        fn name(&self) -> &str {
            self.0
        }

        fn model(&self) -> &str {
            "m"
        }

        fn write(&self, _: &ScriptAsk, _: &Call) -> Result<Answer<Script>, Failure> {
            self.2.fetch_add(1, Ordering::Relaxed);
            match self.1 {
                Some(kind) => Err(Failure::new(
                    Stage::Script,
                    kind,
                    format!("{} is down", self.0),
                )),
                None => Ok(Answer::plain(Script {
                    title: Some(self.0.to_owned()),
                    ..Script::default()
                })),
            }
        }

        fn rewrite(&self, _: &str, _: &Call) -> Result<Option<String>, Failure> {
            Ok((self.0 == "c").then(|| "rewritten".to_owned()))
        }
    }

    fn chain(kinds: [Option<FailureKind>; 3]) -> (Chain<dyn ScriptProvider>, Vec<Arc<Writer>>) {
        let names = ["a", "b", "c"].into_iter().zip(kinds);
        let writers: Vec<Arc<Writer>> = names
            .map(|(name, kind)| Arc::new(Writer(name, kind, AtomicUsize::new(0))))
            .collect();
        let links = writers
            .iter()
            .map(|w| w.clone() as Arc<dyn ScriptProvider>)
            .collect();
        (Chain::<dyn ScriptProvider>::of(links), writers)
    }

    fn ask() -> ScriptAsk {
        ScriptAsk {
            prompt: String::new(),
            style: String::new(),
            n_words: 1,
            language: "en".into(),
            characters: vec![],
            enhance: false,
        }
    }

    fn write(chain: &Chain<dyn ScriptProvider>) -> Result<Answer<Script>, Failure> {
        chain.write(&ask(), &call())
    }

    fn call() -> Call {
        Call {
            before: None,
            deadline: Instant::now() + Duration::from_secs(9),
            cancel: CancelToken::default(),
            key: String::new(),
            scene: None,
        }
    }

    #[test]
    fn the_next_stands_in_and_it_is_told() {
        use FailureKind::{
            BadAnswer, NotConfigured, RateLimited, Refused, TimedOut, Unauthorized, Unavailable,
        };
        for kind in [
            Unavailable,
            TimedOut,
            RateLimited,
            BadAnswer,
            Refused,
            NotConfigured,
            Unauthorized,
        ] {
            let (chain, _) = chain([Some(kind), None, None]);
            let answer = write(&chain).unwrap();
            assert_eq!(answer.value.title.as_deref(), Some("b"));
            assert_eq!(answer.notes, ["a failed (a is down); used b instead"]);
        }
        let (chain, _) = chain([None, None, None]);
        assert!(write(&chain).unwrap().notes.is_empty());
        assert_eq!(
            (chain.name(), chain.model()),
            ("a > b > c", "a m > b m > c m")
        );
        assert_eq!(
            chain.rewrite("", &call()).unwrap().as_deref(),
            Some("rewritten")
        );
    }

    #[test]
    fn who_stood_in_is_told_and_those_before_can_be_asked_alone() {
        let down = Some(FailureKind::Unavailable);
        let (chain, writers) = chain([down, None, None]);
        assert_eq!(write(&chain).unwrap().substitute.as_deref(), Some("b"));
        let again = Call {
            before: Some("b".into()),
            ..call()
        };
        let failure = chain.write(&ask(), &again).unwrap_err();
        assert_eq!(failure.message, "a is down");
        assert_eq!(writers[1].2.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn what_is_the_same_everywhere_ends_it() {
        for kind in [FailureKind::Cancelled, FailureKind::BadInput] {
            let (chain, writers) = chain([Some(kind), None, None]);
            assert_eq!(write(&chain).unwrap_err().kind, kind);
            assert_eq!(writers[1].2.load(Ordering::Relaxed), 0);
        }
    }

    #[test]
    fn the_last_failure_names_all_and_hopes_most() {
        let (chain, _) = chain([
            Some(FailureKind::Unauthorized),
            Some(FailureKind::RateLimited),
            Some(FailureKind::Refused),
        ]);
        let failure = write(&chain).unwrap_err();
        assert_eq!(failure.kind, FailureKind::RateLimited);
        assert_eq!(failure.provider.as_deref(), Some("a, b, c"));
        assert_eq!(
            failure.message,
            "all 3 providers failed: a: a is down; b: b is down; c: c is down"
        );
        let none = Chain::<dyn ScriptProvider>::of(Vec::new());
        assert_eq!(write(&none).unwrap_err().kind, FailureKind::NotConfigured);
    }
}
