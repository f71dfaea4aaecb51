//! The caller of a request, and what their plan allows.

use crate::db::{Account, Caller};
use crate::order::{Asked, Order};

/// The caller that requests a run.
#[derive(Clone, Debug)]
pub struct Asker {
    /// The account that will own the run.
    pub account: Account,
    /// The API key, if one was used.
    pub key_id: Option<String>,
    /// Whether the run is free, made offline and watermarked.
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
    /// Whether their video gets a watermark now. The Short interface has no field to turn it off, so paid Shorts never have one.
    fn is_marked(&self, asked: &Asked) -> bool {
        match asked {
            Asked::Short { .. } => self.is_sandbox || !self.account.plan.has_api(),
            Asked::Universe { request, .. } => !request.remove_watermark || self.keeps_mark(),
        }
    }

    /// Whether their universe videos get it regardless of the request.
    pub(super) fn keeps_mark(&self) -> bool {
        self.is_sandbox || !self.account.plan.may_remove_watermark()
    }

    /// Creates an order of this caller.
    pub(super) fn order(&self, asked: Asked) -> Order {
        Order {
            watermark: self.is_marked(&asked),
            asked,
        }
    }
}
