-- The queue of each lock, as lock managers have it: those who were granted it together (token is set),
-- and those who wait for it (token is NULL), first come, first served, by ticket. Who has a lock alone
-- is in dblock_lock; here is whatever may have several holders, and what was upgraded.
-- (dblock_lock.mode: 0 its own row says who has it, 1 rows with a token here do.)
-- Who waits counts as long as its session lives and its ticket is above the lock's `served`; what has
-- been served there is deleted by its own client, later, and what is dead by `dblock reap`. A row with
-- a token holds the lock, whoever's it is, until it is deleted.
CREATE TABLE IF NOT EXISTS dblock_queue (
	name       text COLLATE "C" NOT NULL,   -- of the lock
	ticket     bigint GENERATED ALWAYS AS IDENTITY, -- its place in the line
	nonce      bigint NOT NULL,             -- random, made by who asks; its grant will have it
	mode       smallint NOT NULL DEFAULT 0, -- 0 exclusive, 1 shared, 2 update, 3 permits
	weight     bigint NOT NULL DEFAULT 1 CHECK (weight > 0), -- so many permits
	capacity   bigint,                      -- of so many that there are
	upgrades   bigint,                      -- nonce of its own grant that it is to replace
	names      bigint NOT NULL DEFAULT 1,   -- it waits for so many names at once
	session    text COLLATE "C" NOT NULL,   -- whose life it waits by, and holds by unless it expires
	thread     bigint NOT NULL,             -- thread as the kernel shows it
	blocks     boolean NOT NULL DEFAULT false, -- which does nothing else while it waits
	lease      bigint,                      -- what to grant it: length of a grant with its own end,
	at_least   bigint,                      -- minimum hold,
	value      text CHECK (octet_length(value) <= 1024), -- what it says as the holder
	bell       text NOT NULL,               -- where to ring when it is its turn; empty: it looks
	since      bigint NOT NULL,             -- when it joined, us since 1970-01-01 00:00 UTC
	token      bigint,                      -- fencing token: it holds; NULL: it waits
	acquired   bigint,                      -- since when it holds,
	expires    bigint,                      -- until when; NULL: by its session,
	keep_until bigint,                      -- minimum hold,
	host       text NOT NULL DEFAULT '',    -- where,
	pid        bigint NOT NULL DEFAULT 0,   -- process,
	reentry    bigint NOT NULL DEFAULT 1,   -- times acquired, as of its last heartbeat
	PRIMARY KEY (name, ticket)
)
WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);
-- What a thread waits for, and what a client's waits have left.
CREATE INDEX ON dblock_queue (session, thread) WHERE token IS NULL;
