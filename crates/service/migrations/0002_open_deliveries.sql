-- What is looked through again and again for messages that lost their job.
CREATE INDEX deliveries_open ON deliveries (created_at) WHERE delivered_at IS NULL;
