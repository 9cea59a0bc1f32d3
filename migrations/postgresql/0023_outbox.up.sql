-- Messages that are sent, and had, once in effect (docs/user/outbox.md).

-- How many messages of a key have been put. Whoever puts one adds one here, in his transaction: so this row is the
-- key's lock as well as its number, and the numbers are in the order of the commits. It stays.
CREATE TABLE IF NOT EXISTS dblock_outbox_key (
	topic   text COLLATE "C" CHECK (octet_length(topic) BETWEEN 1 AND 64),
	msg_key text COLLATE "C" CHECK (octet_length(msg_key) BETWEEN 1 AND 255),
	number  bigint NOT NULL,    -- of the last one
	PRIMARY KEY (topic, msg_key)
)
WITH (fillfactor = 50);

-- Messages that have yet to be delivered. A relay deletes them when they are.
CREATE TABLE IF NOT EXISTS dblock_outbox (
	topic   text COLLATE "C",
	shard   smallint,           -- by its key: one relay at a time delivers a shard
	msg_key text COLLATE "C",
	number  bigint,             -- 1, 2, ... of this key
	id      bigint NOT NULL,    -- random: another message of that number is not this one
	put_at  bigint NOT NULL,    -- us since 1970-01-01 00:00 UTC
	headers text NOT NULL,
	body    text NOT NULL,
	PRIMARY KEY (topic, shard, msg_key, number),
	UNIQUE (topic, shard, put_at, msg_key, number) -- how old is the oldest?
)
WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);

-- Messages that could not be delivered: one for each such key, its first. Those behind it wait.
CREATE TABLE IF NOT EXISTS dblock_outbox_failure (
	topic   text COLLATE "C",
	msg_key text COLLATE "C",
	shard   smallint NOT NULL,
	number  bigint NOT NULL,
	tries   bigint NOT NULL,    -- so many have failed
	since   bigint NOT NULL,    -- when the first one did, us since 1970-01-01 00:00 UTC
	due     bigint,             -- when it is tried again; NULL: the key is parked until somebody says so
	error   text NOT NULL,      -- of the last one
	PRIMARY KEY (topic, msg_key)
)
WITH (fillfactor = 70);

-- The last message that was had from each key of a source. Whoever has one raises the row to its number, in the
-- transaction in which he does what it says.
CREATE TABLE IF NOT EXISTS dblock_inbox (
	source  text COLLATE "C" CHECK (octet_length(source) BETWEEN 1 AND 255),
	msg_key text COLLATE "C" CHECK (octet_length(msg_key) BETWEEN 1 AND 255),
	number  bigint NOT NULL,    -- only grows
	id      bigint NOT NULL,    -- of that message
	prior   bigint NOT NULL,    -- what number was before the last one came
	had_at  bigint NOT NULL,    -- when that was, us since 1970-01-01 00:00 UTC
	PRIMARY KEY (source, msg_key)
)
WITH (fillfactor = 50);

INSERT INTO dblock_event (at, kind, name, token, host, pid, app, session, by_host, by_pid, by_app, detail)
VALUES ((extract(epoch FROM clock_timestamp()) * 1000000)::bigint, 10, '', 0, '', 0, '', '', '', 0, '',
        'migration 0023_outbox');
