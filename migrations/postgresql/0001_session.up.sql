-- One row for each open client. A client is alive while its row beats; when it stops for a whole
-- ttl, others may bury it (set dead, once and for ever), and every lock that it held is free.
-- All times are microseconds since 1970-01-01 00:00 UTC by this server's clock.
-- The row is updated with every heartbeat: no column but the key is indexed and half of each page
-- stays free, so that an update needs no new index entry (HOT) and no vacuum soon.
CREATE TABLE IF NOT EXISTS dblock_session (
	id      text COLLATE "C" PRIMARY KEY,     -- 128 random bits, as 32 hexadecimal digits
	host    text NOT NULL,                    -- where the client runs
	pid     bigint NOT NULL,                  -- its process there
	app     text NOT NULL,                    -- what it calls itself
	ttl     bigint NOT NULL CHECK (ttl > 0),  -- how long it lives without a heartbeat
	opened  bigint NOT NULL,                  -- when it was opened
	expires bigint NOT NULL,                  -- last heartbeat + ttl
	beat    bigint NOT NULL,                  -- grows with each heartbeat, from a random number
	dead    boolean NOT NULL DEFAULT false,   -- buried or closed; never set back
	ended   bigint                            -- when that was
)
WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);
