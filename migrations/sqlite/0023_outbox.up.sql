-- Messages that are sent, and had, once in effect (docs/user/outbox.md).

-- How many messages of a key have been put. Whoever puts one adds one here, in his transaction: so this row is the
-- key's lock as well as its number, and the numbers are in the order of the commits. It stays.
CREATE TABLE IF NOT EXISTS dblock_outbox_key (
	topic   TEXT NOT NULL CHECK (length(CAST(topic AS BLOB)) BETWEEN 1 AND 64),
	msg_key TEXT NOT NULL CHECK (length(CAST(msg_key AS BLOB)) BETWEEN 1 AND 255),
	number  INTEGER NOT NULL, -- of the last one
	PRIMARY KEY (topic, msg_key)
) STRICT, WITHOUT ROWID;

-- Messages that have yet to be delivered. A relay deletes them when they are.
CREATE TABLE IF NOT EXISTS dblock_outbox (
	topic   TEXT NOT NULL,
	shard   INTEGER NOT NULL, -- by its key: one relay at a time delivers a shard
	msg_key TEXT NOT NULL,
	number  INTEGER NOT NULL, -- 1, 2, ... of this key
	id      INTEGER NOT NULL, -- random: another message of that number is not this one
	put_at  INTEGER NOT NULL, -- us since 1970-01-01 00:00 UTC
	headers TEXT NOT NULL,
	body    TEXT NOT NULL,
	PRIMARY KEY (topic, shard, msg_key, number),
	UNIQUE (topic, shard, put_at, msg_key, number) -- how old is the oldest?
) STRICT;

-- Messages that could not be delivered: one for each such key, its first. Those behind it wait.
CREATE TABLE IF NOT EXISTS dblock_outbox_failure (
	topic   TEXT NOT NULL,
	msg_key TEXT NOT NULL,
	shard   INTEGER NOT NULL,
	number  INTEGER NOT NULL,
	tries   INTEGER NOT NULL, -- so many have failed
	since   INTEGER NOT NULL, -- when the first one did, us since 1970-01-01 00:00 UTC
	due     INTEGER,          -- when it is tried again; NULL: the key is parked until somebody says so
	error   TEXT NOT NULL,    -- of the last one
	PRIMARY KEY (topic, msg_key)
) STRICT, WITHOUT ROWID;

-- The last message that was had from each key of a source. Whoever has one raises the row to its number, in the
-- transaction in which he does what it says.
CREATE TABLE IF NOT EXISTS dblock_inbox (
	source  TEXT NOT NULL CHECK (length(CAST(source AS BLOB)) BETWEEN 1 AND 255),
	msg_key TEXT NOT NULL CHECK (length(CAST(msg_key AS BLOB)) BETWEEN 1 AND 255),
	number  INTEGER NOT NULL, -- only grows
	id      INTEGER NOT NULL, -- of that message
	prior   INTEGER NOT NULL, -- what number was before the last one came
	had_at  INTEGER NOT NULL, -- when that was, us since 1970-01-01 00:00 UTC
	PRIMARY KEY (source, msg_key)
) STRICT, WITHOUT ROWID;

INSERT INTO dblock_event (at, kind, name, token, host, pid, app, session, by_host, by_pid, by_app, detail)
VALUES (CAST(strftime('%s', 'now') AS INTEGER) * 1000000, 10, '', 0, '', 0, '', '', '', 0, '',
        'migration 0023_outbox');
