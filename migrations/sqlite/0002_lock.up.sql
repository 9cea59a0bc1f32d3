-- One row for each lock name ever used. The row stays when the lock is released and is updated in
-- place, so its token can never go back; `dblock reap` deletes names long unused.
-- A lock is held by at most one of: a session (as long as that one lives), or its own end.
-- All times are microseconds: those of people since 1970-01-01 00:00 UTC, those that decide
-- something since the machine's boot, because nobody can set that clock.
CREATE TABLE IF NOT EXISTS dblock_lock (
	name       TEXT NOT NULL PRIMARY KEY
	           CHECK (length(CAST(name AS BLOB)) BETWEEN 1 AND 255), -- compared byte for byte
	token      INTEGER NOT NULL,            -- fencing token of the last grant; only grows
	nonce      INTEGER NOT NULL,            -- random, made by who asked for that grant; 0: over
	mode       INTEGER NOT NULL DEFAULT 0,  -- 0: exclusive
	session    TEXT,                        -- held as long as that session lives
	clock      TEXT NOT NULL DEFAULT '',    -- which boot of which machine the ends count from
	host       TEXT NOT NULL,               -- of the last holder: where,
	pid        INTEGER NOT NULL,            -- process,
	thread     INTEGER NOT NULL,            -- thread as the kernel shows it,
	reentry    INTEGER NOT NULL,            -- times acquired, as of its last heartbeat
	lease      INTEGER,                     -- length of a grant with its own end
	expires    INTEGER,                     -- held until then, since boot
	keep_until INTEGER,                     -- minimum hold: a release before then ends it then
	acquired   INTEGER NOT NULL,            -- when it was granted last, since 1970
	released   INTEGER NOT NULL DEFAULT 0,  -- when it was released last, since 1970; 0: never
	queued     INTEGER NOT NULL DEFAULT 0 CHECK (queued IN (0, 1)), -- somebody may be waiting in line
	queue_version INTEGER NOT NULL DEFAULT 0, -- grows whenever somebody joins or leaves it
	served     INTEGER NOT NULL DEFAULT 0,  -- ticket of the last waiter that it was granted to
	value      TEXT CHECK (length(CAST(value AS BLOB)) <= 1024), -- what the holder says about it
	CHECK (session IS NULL OR expires IS NULL)
) STRICT, WITHOUT ROWID;
