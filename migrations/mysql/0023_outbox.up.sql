-- Messages that are sent, and had, once in effect (docs/user/outbox.md).

-- How many messages of a key have been put. Whoever puts one adds one here, in his transaction: so this row is the
-- key's lock as well as its number, and the numbers are in the order of the commits. It stays.
CREATE TABLE IF NOT EXISTS dblock_outbox_key (
	topic   VARBINARY(64) NOT NULL,
	msg_key VARBINARY(255) NOT NULL,
	number  BIGINT NOT NULL,    -- of the last one
	PRIMARY KEY (topic, msg_key)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- Messages that have yet to be delivered. A relay deletes them when they are.
CREATE TABLE IF NOT EXISTS dblock_outbox (
	topic   VARBINARY(64) NOT NULL,
	shard   SMALLINT NOT NULL,  -- by its key: one relay at a time delivers a shard
	msg_key VARBINARY(255) NOT NULL,
	number  BIGINT NOT NULL,    -- 1, 2, ... of this key
	id      BIGINT NOT NULL,    -- random: another message of that number is not this one
	put_at  BIGINT NOT NULL,    -- us since 1970-01-01 00:00 UTC
	headers MEDIUMTEXT NOT NULL,
	body    MEDIUMTEXT NOT NULL,
	PRIMARY KEY (topic, shard, msg_key, number),
	KEY by_age (topic, shard, put_at)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- Messages that could not be delivered: one for each such key, its first. Those behind it wait.
CREATE TABLE IF NOT EXISTS dblock_outbox_failure (
	topic   VARBINARY(64) NOT NULL,
	msg_key VARBINARY(255) NOT NULL,
	shard   SMALLINT NOT NULL,
	number  BIGINT NOT NULL,
	tries   BIGINT NOT NULL,    -- so many have failed
	since   BIGINT NOT NULL,    -- when the first one did, us since 1970-01-01 00:00 UTC
	due     BIGINT,             -- when it is tried again; NULL: the key is parked until somebody says so
	error   TEXT NOT NULL,      -- of the last one
	PRIMARY KEY (topic, msg_key)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- The last message that was had from each key of a source. Whoever has one raises the row to its number, in the
-- transaction in which he does what it says.
CREATE TABLE IF NOT EXISTS dblock_inbox (
	source  VARBINARY(255) NOT NULL,
	msg_key VARBINARY(255) NOT NULL,
	number  BIGINT NOT NULL,    -- only grows
	id      BIGINT NOT NULL,    -- of that message
	prior   BIGINT NOT NULL,    -- what number was before the last one came
	had_at  BIGINT NOT NULL,    -- when that was, us since 1970-01-01 00:00 UTC
	PRIMARY KEY (source, msg_key)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

INSERT INTO dblock_event (at, kind, name, token, host, pid, app, session, by_host, by_pid, by_app, detail)
VALUES (CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED), 10, '', 0, '', 0, '', '', '', 0, '',
        'migration 0023_outbox');
