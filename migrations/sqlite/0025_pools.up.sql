-- Pools, priorities, rates, latches (docs/user/pools.md, rate-limit.md, latch-barrier.md).

-- A semaphore whose number of permits stands here; NULL: each that asks names it.
ALTER TABLE dblock_lock ADD COLUMN capacity INTEGER;

-- (`names` of dblock_queue below 0: it waits for any one of so many names.)

-- Somebody with a priority may wait: the queue's order is not that of its tickets alone.
ALTER TABLE dblock_lock ADD COLUMN ranked INTEGER NOT NULL DEFAULT 0 CHECK (ranked IN (0, 1));
ALTER TABLE dblock_queue ADD COLUMN priority INTEGER NOT NULL DEFAULT 0;

-- The members of a pool, of which any one will do: names of locks.
CREATE TABLE IF NOT EXISTS dblock_pool (
	pool    TEXT NOT NULL CHECK (length(CAST(pool AS BLOB)) BETWEEN 1 AND 255),
	member  TEXT NOT NULL CHECK (length(CAST(member AS BLOB)) BETWEEN 1 AND 255),
	drained INTEGER NOT NULL, -- 1: it is granted to nobody who asks by the pool's name
	since   INTEGER NOT NULL,   -- when that was said last, us since 1970-01-01 00:00 UTC
	PRIMARY KEY (pool, member)
) STRICT, WITHOUT ROWID;

-- Which permits of a semaphore are taken, from 0: by the grant with that nonce, as long as it lasts.
CREATE TABLE IF NOT EXISTS dblock_permit (
	name   TEXT NOT NULL,
	number INTEGER NOT NULL,
	nonce  INTEGER NOT NULL,
	PRIMARY KEY (name, number)
) STRICT, WITHOUT ROWID;

-- How much of each rate is used: a leaky bucket's counter, as the generic cell rate algorithm has it. It is in units of
-- time, and runs down by itself.
CREATE TABLE IF NOT EXISTS dblock_rate (
	name      TEXT NOT NULL CHECK (length(CAST(name AS BLOB)) BETWEEN 1 AND 255),
	level     INTEGER NOT NULL, -- the counter when somebody last took some, ns
	taken_at  INTEGER NOT NULL, -- when that was, us since 1970-01-01 00:00 UTC
	nonce     INTEGER NOT NULL, -- of that call
	rate      INTEGER NOT NULL, -- its numbers, for people: so many
	period_ms INTEGER NOT NULL, -- in such a time,
	burst     INTEGER NOT NULL, -- and so many at once
	PRIMARY KEY (name)
) STRICT, WITHOUT ROWID;

-- Latches, latch:NAME, and barriers, barrier:NAME (docs/user/latch-barrier.md).
CREATE TABLE IF NOT EXISTS dblock_latch (
	name       TEXT NOT NULL CHECK (length(CAST(name AS BLOB)) BETWEEN 1 AND 255),
	size       INTEGER NOT NULL, -- a generation begins with so many; parties of a barrier
	generation INTEGER NOT NULL, -- no other one of that name ever has the same number
	count      INTEGER NOT NULL, -- of a latch: so many are yet to be counted down
	passed     INTEGER NOT NULL, -- the last generation that came to its end, and was not broken; 0: none
	counted    TEXT NOT NULL,    -- the requests that have counted down in this one, a blank around each
	why        TEXT NOT NULL,    -- who has ended the one before, and why
	since      INTEGER NOT NULL, -- when this row was changed last, us since 1970-01-01 00:00 UTC
	PRIMARY KEY (name)
) STRICT, WITHOUT ROWID;

CREATE INDEX IF NOT EXISTS dblock_latch_since ON dblock_latch (since);

INSERT INTO dblock_event (at, kind, name, token, host, pid, app, session, by_host, by_pid, by_app, detail)
VALUES (CAST(strftime('%s', 'now') AS INTEGER) * 1000000, 10, '', 0, '', 0, '', '', '', 0, '',
        'migration 0025_pools');
