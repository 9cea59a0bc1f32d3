-- One row for each open client. A client is alive while its row beats; when it stops for a whole
-- ttl, others may bury it (set dead, once and for ever), and every lock that it held is free.
-- All times are microseconds: those of people since 1970-01-01 00:00 UTC, those that decide
-- something since the machine's boot, because nobody can set that clock.
CREATE TABLE IF NOT EXISTS dblock_session (
	id      TEXT NOT NULL PRIMARY KEY,         -- 128 random bits, as 32 hexadecimal digits
	clock   TEXT NOT NULL,                     -- which boot of which machine `expires` counts from
	host    TEXT NOT NULL,                     -- where the client runs
	pid     INTEGER NOT NULL,                  -- its process there
	app     TEXT NOT NULL,                     -- what it calls itself
	ttl     INTEGER NOT NULL CHECK (ttl > 0),  -- how long it lives without a heartbeat
	opened  INTEGER NOT NULL,                  -- when it was opened, since 1970
	expires INTEGER NOT NULL,                  -- last heartbeat + ttl, since boot
	beat    INTEGER NOT NULL,                  -- grows with each heartbeat, from a random number
	dead    INTEGER NOT NULL DEFAULT 0 CHECK (dead IN (0, 1)), -- buried or closed; never set back
	ended   INTEGER                            -- when that was, since 1970
) STRICT, WITHOUT ROWID;
