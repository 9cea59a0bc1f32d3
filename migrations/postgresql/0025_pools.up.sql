-- Pools, priorities, rates, latches (docs/user/pools.md, rate-limit.md, latch-barrier.md).

-- A semaphore whose number of permits stands here; NULL: each that asks names it.
ALTER TABLE dblock_lock ADD COLUMN IF NOT EXISTS capacity bigint;

-- (`names` of dblock_queue below 0: it waits for any one of so many names.)

-- Somebody with a priority may wait: the queue's order is not that of its tickets alone.
ALTER TABLE dblock_lock ADD COLUMN IF NOT EXISTS ranked boolean NOT NULL DEFAULT false;
ALTER TABLE dblock_queue ADD COLUMN IF NOT EXISTS priority smallint NOT NULL DEFAULT 0;

-- The members of a pool, of which any one will do: names of locks.
CREATE TABLE IF NOT EXISTS dblock_pool (
	pool    text COLLATE "C" CHECK (octet_length(pool) BETWEEN 1 AND 255),
	member  text COLLATE "C" CHECK (octet_length(member) BETWEEN 1 AND 255),
	drained smallint NOT NULL, -- 1: it is granted to nobody who asks by the pool's name
	since   bigint NOT NULL,   -- when that was said last, us since 1970-01-01 00:00 UTC
	PRIMARY KEY (pool, member)
);

-- Which permits of a semaphore are taken, from 0: by the grant with that nonce, as long as it lasts.
CREATE TABLE IF NOT EXISTS dblock_permit (
	name   text COLLATE "C",
	number bigint NOT NULL,
	nonce  bigint NOT NULL,
	PRIMARY KEY (name, number)
);

-- How much of each rate is used: a leaky bucket's counter, as the generic cell rate algorithm has it. It is in units of
-- time, and runs down by itself.
CREATE TABLE IF NOT EXISTS dblock_rate (
	name      text COLLATE "C" CHECK (octet_length(name) BETWEEN 1 AND 255),
	level     bigint NOT NULL, -- the counter when somebody last took some, ns
	taken_at  bigint NOT NULL, -- when that was, us since 1970-01-01 00:00 UTC
	nonce     bigint NOT NULL, -- of that call
	rate      bigint NOT NULL, -- its numbers, for people: so many
	period_ms bigint NOT NULL, -- in such a time,
	burst     bigint NOT NULL, -- and so many at once
	PRIMARY KEY (name)
)
WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);

-- Latches, latch:NAME, and barriers, barrier:NAME (docs/user/latch-barrier.md).
CREATE TABLE IF NOT EXISTS dblock_latch (
	name       text COLLATE "C" CHECK (octet_length(name) BETWEEN 1 AND 255),
	size       bigint NOT NULL, -- a generation begins with so many; parties of a barrier
	generation bigint NOT NULL, -- no other one of that name ever has the same number
	count      bigint NOT NULL, -- of a latch: so many are yet to be counted down
	passed     bigint NOT NULL, -- the last generation that came to its end, and was not broken; 0: none
	counted    text NOT NULL,   -- the requests that have counted down in this one, a blank around each
	why        text NOT NULL,   -- who has ended the one before, and why
	since      bigint NOT NULL, -- when this row was changed last, us since 1970-01-01 00:00 UTC
	PRIMARY KEY (name),
	UNIQUE (since, name)        -- which the reaper may delete
)
WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);

INSERT INTO dblock_event (at, kind, name, token, host, pid, app, session, by_host, by_pid, by_app, detail)
VALUES ((extract(epoch FROM clock_timestamp()) * 1000000)::bigint, 10, '', 0, '', 0, '', '', '', 0, '',
        'migration 0025_pools');
