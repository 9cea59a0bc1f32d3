-- One row for each lock name ever used. The row stays when the lock is released and is updated in
-- place, so its token can never go back; `dblock reap` deletes names long unused.
-- A lock is held by at most one of: a session (as long as that one lives), or its own end.
-- All times are microseconds since 1970-01-01 00:00 UTC by this server's clock.
CREATE TABLE IF NOT EXISTS dblock_lock (
	name       VARBINARY(255) NOT NULL,        -- UTF-8, compared byte for byte
	token      BIGINT NOT NULL,                -- fencing token of the last grant; only grows
	nonce      BIGINT NOT NULL,                -- random, made by who asked for that grant; 0: over
	mode       SMALLINT NOT NULL DEFAULT 0,    -- 0: exclusive
	session    CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NULL, -- held as long as that lives
	host       VARCHAR(255) NOT NULL,          -- of the last holder: where,
	pid        BIGINT NOT NULL,                -- process,
	thread     BIGINT NOT NULL,                -- thread as the kernel shows it,
	reentry    BIGINT NOT NULL,                -- times acquired, as of its last heartbeat
	lease      BIGINT NULL,                    -- length of a grant with its own end
	expires    BIGINT NULL,                    -- held until then
	keep_until BIGINT NULL,                    -- minimum hold: a release before then ends it then
	acquired   BIGINT NOT NULL,                -- when it was granted last
	released   BIGINT NOT NULL DEFAULT 0,      -- when it was released last; 0: never
	queued     BOOLEAN NOT NULL DEFAULT FALSE, -- somebody may be waiting in line
	queue_version BIGINT NOT NULL DEFAULT 0,   -- grows whenever somebody joins or leaves it
	served     BIGINT NOT NULL DEFAULT 0,      -- ticket of the last waiter that it was granted to
	value      VARCHAR(1024) NULL,             -- what the holder says about it
	PRIMARY KEY (name),
	CHECK (LENGTH(name) BETWEEN 1 AND 255),
	CHECK (session IS NULL OR expires IS NULL)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
