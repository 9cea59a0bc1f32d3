-- One row for each lock name ever used. The row stays when the lock is released and is updated in
-- place, so its token can never go back; `dblock reap` deletes names long unused.
-- A lock is held by at most one of: a session (as long as that one lives), or its own end.
-- All times are microseconds since 1970-01-01 00:00 UTC by this server's clock.
-- No column but the key is indexed and half of each page stays free, so that an update needs no new
-- index entry (HOT) and no vacuum soon.
CREATE TABLE IF NOT EXISTS dblock_lock (
	name       text COLLATE "C" PRIMARY KEY
	           CHECK (octet_length(name) BETWEEN 1 AND 255), -- compared byte for byte
	token      bigint NOT NULL,                  -- fencing token of the last grant; only grows
	nonce      bigint NOT NULL,                  -- random, made by who asked for that grant; 0: over
	mode       smallint NOT NULL DEFAULT 0,      -- 0: exclusive
	session    text COLLATE "C",                 -- held as long as that session lives
	host       text NOT NULL,                    -- of the last holder: where,
	pid        bigint NOT NULL,                  -- process,
	thread     bigint NOT NULL,                  -- thread as the kernel shows it,
	reentry    bigint NOT NULL,                  -- times acquired, as of its last heartbeat
	lease      bigint,                           -- length of a grant with its own end
	expires    bigint,                           -- held until then
	keep_until bigint,                           -- minimum hold: a release before then ends it then
	acquired   bigint NOT NULL,                  -- when it was granted last
	released   bigint NOT NULL DEFAULT 0,        -- when it was released last; 0: never
	queued     boolean NOT NULL DEFAULT false,   -- somebody may be waiting in line
	queue_version bigint NOT NULL DEFAULT 0,     -- grows whenever somebody joins or leaves it
	served     bigint NOT NULL DEFAULT 0,        -- ticket of the last waiter that it was granted to
	value      text CHECK (octet_length(value) <= 1024), -- what the holder says about it
	CHECK (session IS NULL OR expires IS NULL)
)
WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);
