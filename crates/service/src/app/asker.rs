//! Who wants something, and what their plan allows.

use crate::db::{Account, Caller};
use crate::order::{Asked, Order};

/// Who wants a run.
#[derive(Clone, Debug)]
pub struct Asker {
    /// Whose run it becomes.
    pub account: Account,
    /// By which key, if by one.
    pub key_id: Option<String>,
    /// Whether it costs nothing, is made offline and carries a watermark.
    pub is_sandbox: bool,
}

impl From<Caller> for Asker {
    fn from(caller: Caller) -> Asker {
        Asker {
            account: caller.account,
            key_id: Some(caller.key_id),
            is_sandbox: caller.is_sandbox,
        }
    }
}

impl Asker {
    /// Whether the service's name stands in what is made for them now. The Short interface has no field that would ask for it to be left out, so that
    /// what is paid for goes without.
    fn is_marked(&self, asked: &Asked) -> bool {
        match asked {
            Asked::Short { .. } => self.is_sandbox || !self.account.plan.has_api(),
            Asked::Universe { request, .. } => !request.remove_watermark || self.keeps_mark(),
        }
    }

    /// Whether it stands in their universes' videos whatever they ask for.
    pub(super) fn keeps_mark(&self) -> bool {
        self.is_sandbox || !self.account.plan.may_remove_watermark()
    }

    /// An order of theirs.
    pub(super) fn order(&self, asked: Asked) -> Order {
        Order {
            watermark: self.is_marked(&asked),
            asked,
        }
    }
}
