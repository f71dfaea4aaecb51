-- One text for SQLite and PostgreSQL. Times are milliseconds since 1970 by the database's clock, flags are 0 or 1, documents are JSON in text.

CREATE TABLE accounts (
    id TEXT PRIMARY KEY,
    email TEXT NOT NULL UNIQUE,
    password TEXT NOT NULL,
    plan TEXT NOT NULL,
    requests_per_minute BIGINT,
    -- Signs messages to the `webhook_url` of a run.
    webhook_secret TEXT NOT NULL,
    -- What may still be spent: grants less captures less open holds.
    balance BIGINT NOT NULL CHECK (balance >= 0),
    created_at BIGINT NOT NULL
);

CREATE TABLE api_keys (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    name TEXT NOT NULL,
    hash TEXT NOT NULL UNIQUE,
    shown TEXT NOT NULL,
    is_sandbox BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    revoked_at BIGINT
);
CREATE INDEX api_keys_of_account ON api_keys (account_id);

CREATE TABLE sessions (
    hash TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    csrf TEXT NOT NULL,
    expires_at BIGINT NOT NULL
);

CREATE TABLE universes (
    account_id TEXT NOT NULL REFERENCES accounts (id),
    slug TEXT NOT NULL,
    name TEXT NOT NULL,
    settings TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (account_id, slug)
);

CREATE TABLE characters (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    name TEXT NOT NULL,
    description TEXT NOT NULL,
    appearance TEXT NOT NULL,
    clothing TEXT NOT NULL,
    prompt TEXT NOT NULL,
    voice TEXT,
    image TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX characters_of_account ON characters (account_id);

CREATE TABLE uploads (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    name TEXT NOT NULL,
    object TEXT NOT NULL,
    n_bytes BIGINT NOT NULL,
    duration_ms BIGINT NOT NULL,
    spoken TEXT,
    created_at BIGINT NOT NULL
);
CREATE INDEX uploads_of_account ON uploads (account_id);

CREATE TABLE runs (
    id TEXT PRIMARY KEY,
    project_id TEXT NOT NULL,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    key_id TEXT,
    family TEXT NOT NULL,
    universe TEXT,
    title TEXT NOT NULL,
    is_sandbox BIGINT NOT NULL,
    asked TEXT NOT NULL,
    warnings TEXT NOT NULL,
    webhook_url TEXT,
    metadata TEXT,
    retry_of TEXT,
    estimated_ms BIGINT NOT NULL,
    estimated_credits BIGINT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('QUEUED', 'EXECUTING', 'COMPLETED', 'FAILED')),
    -- How often a worker took it up; every write of a worker names the attempt that it owns.
    attempt BIGINT NOT NULL,
    -- Of these, how many do not count: their workers were asked to stop.
    n_free BIGINT NOT NULL,
    -- Who has it; nobody before the first attempt and after a run was handed back.
    owner TEXT,
    lease_until BIGINT,
    cancel_asked BIGINT NOT NULL,
    progress TEXT,
    output TEXT,
    failure TEXT,
    credits_used BIGINT,
    created_at BIGINT NOT NULL,
    started_at BIGINT,
    finished_at BIGINT,
    -- Whether what its attempts left in the media was deleted.
    is_tidy BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX runs_untidy ON runs (finished_at) WHERE is_tidy = 0;
CREATE INDEX runs_of_account ON runs (account_id, created_at);
CREATE INDEX runs_leased ON runs (status, lease_until);

CREATE TABLE holds (
    run_id TEXT PRIMARY KEY REFERENCES runs (id),
    account_id TEXT NOT NULL REFERENCES accounts (id),
    amount BIGINT NOT NULL CHECK (amount >= 0),
    state TEXT NOT NULL CHECK (state IN ('open', 'captured', 'released')),
    captured BIGINT NOT NULL CHECK (captured >= 0 AND captured <= amount)
);

-- What changed a balance, and why. A hold lowers it, a release gives all of it back, a capture gives back what was not used.
CREATE TABLE ledger (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    run_id TEXT,
    kind TEXT NOT NULL CHECK (kind IN ('grant', 'hold', 'capture', 'release')),
    amount BIGINT NOT NULL,
    balance BIGINT NOT NULL,
    note TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    UNIQUE (run_id, kind)
);
CREATE INDEX ledger_of_account ON ledger (account_id, created_at);

CREATE TABLE idempotency (
    account_id TEXT NOT NULL REFERENCES accounts (id),
    name TEXT NOT NULL,
    body_hash TEXT NOT NULL,
    answer TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (account_id, name)
);

CREATE TABLE webhooks (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    url TEXT NOT NULL,
    secret TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX webhooks_of_account ON webhooks (account_id);

CREATE TABLE deliveries (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    run_id TEXT NOT NULL REFERENCES runs (id),
    event TEXT NOT NULL,
    url TEXT NOT NULL,
    secret TEXT NOT NULL,
    payload TEXT NOT NULL,
    n_attempts BIGINT NOT NULL,
    status BIGINT,
    error TEXT,
    delivered_at BIGINT,
    created_at BIGINT NOT NULL
);
CREATE INDEX deliveries_of_account ON deliveries (account_id, created_at);

-- What signs URLs, by its purpose: the same on all machines of a service.
CREATE TABLE secrets (
    name TEXT PRIMARY KEY,
    secret TEXT NOT NULL
);
