//! Parameters of operations in paths, queries and headers.

use super::operation::Param;

pub(super) const SLUG: Param = Param {
    name: "slug",
    place: "path",
    is_required: true,
    pattern: "^[a-z0-9]([a-z0-9-]{0,98}[a-z0-9])?$",
    about: "The universe's slug",
};

pub(super) const ID: Param = Param {
    name: "id",
    place: "path",
    is_required: true,
    pattern: "^[A-Za-z0-9_-]{1,128}$",
    about: "Its id",
};

pub(super) const KEY: Param = Param {
    name: "key",
    about: "The `voiceoverKey`",
    ..ID
};

pub(super) const RUN_ID: Param = Param {
    name: "runId",
    place: "query",
    is_required: true,
    pattern: "^[A-Za-z0-9_-]{1,128}$",
    about: "The `data.id` of the create response",
};

pub(super) const REQUEST_ID: Param = Param {
    name: "requestId",
    place: "query",
    is_required: true,
    pattern: "^run_[A-Za-z0-9_-]{1,124}$",
    about: "The `data.requestId` of the create response",
};

pub(super) const BEFORE: Param = Param {
    name: "before",
    place: "query",
    is_required: false,
    pattern: "^([0-9]{1,15}-[A-Za-z0-9_-]{1,100})?$",
    about: "The `next` of the previous page",
};

pub(super) const IDEMPOTENCY: Param = Param {
    name: "Idempotency-Key",
    place: "header",
    is_required: false,
    pattern: "^[!-~]{1,255}$",
    about: "The same key with the same request within 24 hours returns the same response and creates nothing twice",
};
