-- Characters that are described by the measured colors of their pictures, which no model is told.
ALTER TABLE characters ADD COLUMN is_measured BIGINT NOT NULL DEFAULT 0;
