//! `kinora serve`, `worker` and `admin` in a program that was built without the service: they say how to get it.

use crate::failure::{Done, Failure};

/// Part of the service (not in this build)
#[derive(Debug, clap::Args)]
pub(crate) struct Absent {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    arguments: Vec<String>,

    #[arg(skip)]
    pub(crate) json: bool,
}

impl Absent {
    fn refuse(&self, command: &str) -> Done {
        let arguments: String = self.arguments.iter().map(|arg| format!(" {arg}")).collect();
        Err(Failure::Usage(format!(
            "this kinora was built without the service; in a checkout, `./kinora {command}{arguments}` builds it, elsewhere build with `--features service`"
        )))
    }
}

pub(crate) mod serve {
    //! `kinora serve` and `kinora worker`.

    pub(crate) use super::Absent as Args;
    pub(crate) use super::Absent as WorkerArgs;
    use crate::failure::Done;

    pub(crate) fn run(args: &Args) -> Done {
        args.refuse("serve")
    }

    pub(crate) fn work(args: &WorkerArgs) -> Done {
        args.refuse("worker")
    }
}

pub(crate) mod admin {
    //! `kinora admin`.

    pub(crate) use super::Absent as Args;
    use crate::failure::Done;

    pub(crate) fn run(args: &Args) -> Done {
        args.refuse("admin")
    }
}
