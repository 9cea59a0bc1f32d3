-- One row for each call that waits in line for a lock: first come, first served, by ticket.
-- A row counts as long as its session lives and its ticket is above the lock's `served`; what has
-- been served is deleted by its own client, later, and what is dead by `dblock reap`.
CREATE TABLE IF NOT EXISTS dblock_waiter (
	name     text COLLATE "C" NOT NULL,   -- of the lock
	ticket   bigint GENERATED ALWAYS AS IDENTITY, -- its place in the line
	nonce    bigint NOT NULL,             -- random, made by who waits; its grant will have it
	session  text COLLATE "C" NOT NULL,   -- whose life it waits by
	thread   bigint NOT NULL,             -- thread as the kernel shows it
	lease    bigint,                      -- what to grant it: length of a grant with its own end,
	at_least bigint,                      -- minimum hold,
	value    text,                        -- what it will say as the holder
	bell     text NOT NULL,               -- where to ring when it is its turn; empty: it looks
	since    bigint NOT NULL,             -- when it joined, us since 1970-01-01 00:00 UTC
	PRIMARY KEY (name, ticket)
)
WITH (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);
