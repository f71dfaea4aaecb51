//! `kinora serve`, `worker` and `admin` in a program that was built without the service: they say how to get it.

pub(crate) mod serve {
    //! `kinora serve` and `kinora worker`.

    use super::missing;
    use crate::failure::Done;

    /// Run the service (not in this build)
    #[derive(Debug, clap::Args)]
    pub(crate) struct Args {
        #[command(flatten)]
        rest: super::Rest,

        #[arg(skip)]
        pub(crate) json: bool,
    }

    /// Work on the runs of a service (not in this build)
    #[derive(Debug, clap::Args)]
    pub(crate) struct WorkerArgs {
        #[command(flatten)]
        rest: super::Rest,

        #[arg(skip)]
        pub(crate) json: bool,
    }

    pub(crate) fn run(args: &Args) -> Done {
        missing("serve", &args.rest)
    }

    pub(crate) fn work(args: &WorkerArgs) -> Done {
        missing("worker", &args.rest)
    }
}

pub(crate) mod admin {
    //! `kinora admin`.

    use crate::failure::Done;

    /// Administer a service (not in this build)
    #[derive(Debug, clap::Args)]
    pub(crate) struct Args {
        #[command(flatten)]
        rest: super::Rest,

        #[arg(skip)]
        pub(crate) json: bool,
    }

    pub(crate) fn run(args: &Args) -> Done {
        super::missing("admin", &args.rest)
    }
}

use crate::failure::{Done, Failure};

/// Arguments that belong to a build with the service.
#[derive(Debug, clap::Args)]
pub(crate) struct Rest {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    arguments: Vec<String>,
}

fn missing(command: &str, rest: &Rest) -> Done {
    let arguments: String = rest.arguments.iter().map(|arg| format!(" {arg}")).collect();
    Err(Failure::Usage(format!(
        "this kinora was built without the service; in a checkout, `./kinora {command}{arguments}` builds it, elsewhere build with `--features service`"
    )))
}
