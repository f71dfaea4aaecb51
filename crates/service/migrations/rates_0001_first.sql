-- When a key's last requests were admitted, each under its number. In SQLite this is a file of its own.

CREATE TABLE rates (
    key_id TEXT PRIMARY KEY,
    -- How many were admitted ever: the number of the next one.
    n_admitted BIGINT NOT NULL,
    -- When the last one was.
    last_ms BIGINT NOT NULL
);
CREATE TABLE rate_slots (
    key_id TEXT NOT NULL,
    n BIGINT NOT NULL,
    at_ms BIGINT NOT NULL,
    PRIMARY KEY (key_id, n)
);
