-- Pools, priorities, rates, latches (docs/user/pools.md, rate-limit.md, latch-barrier.md).

-- A semaphore whose number of permits stands here; NULL: each that asks names it.
ALTER TABLE dblock_lock ADD COLUMN /*M! IF NOT EXISTS */ capacity BIGINT;

-- (`names` of dblock_queue below 0: it waits for any one of so many names.)

-- Somebody with a priority may wait: the queue's order is not that of its tickets alone.
ALTER TABLE dblock_lock ADD COLUMN /*M! IF NOT EXISTS */ ranked BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE dblock_queue ADD COLUMN /*M! IF NOT EXISTS */ priority SMALLINT NOT NULL DEFAULT 0;

-- The members of a pool, of which any one will do: names of locks.
CREATE TABLE IF NOT EXISTS dblock_pool (
	pool    VARBINARY(255) NOT NULL,
	member  VARBINARY(255) NOT NULL,
	drained SMALLINT NOT NULL, -- 1: it is granted to nobody who asks by the pool's name
	since   BIGINT NOT NULL,   -- when that was said last, us since 1970-01-01 00:00 UTC
	PRIMARY KEY (pool, member)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- Which permits of a semaphore are taken, from 0: by the grant with that nonce, as long as it lasts.
CREATE TABLE IF NOT EXISTS dblock_permit (
	name   VARBINARY(255) NOT NULL,
	number BIGINT NOT NULL,
	nonce  BIGINT NOT NULL,
	PRIMARY KEY (name, number)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- How much of each rate is used: a leaky bucket's counter, as the generic cell rate algorithm has it. It is in units of
-- time, and runs down by itself.
CREATE TABLE IF NOT EXISTS dblock_rate (
	name      VARBINARY(255) NOT NULL,
	level     BIGINT NOT NULL, -- the counter when somebody last took some, ns
	taken_at  BIGINT NOT NULL, -- when that was, us since 1970-01-01 00:00 UTC
	nonce     BIGINT NOT NULL, -- of that call
	rate      BIGINT NOT NULL, -- its numbers, for people: so many
	period_ms BIGINT NOT NULL, -- in such a time,
	burst     BIGINT NOT NULL, -- and so many at once
	PRIMARY KEY (name)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- Latches, latch:NAME, and barriers, barrier:NAME (docs/user/latch-barrier.md).
CREATE TABLE IF NOT EXISTS dblock_latch (
	name       VARBINARY(255) NOT NULL,
	size       BIGINT NOT NULL,     -- a generation begins with so many; parties of a barrier
	generation BIGINT NOT NULL,     -- no other one of that name ever has the same number
	count      BIGINT NOT NULL,     -- of a latch: so many are yet to be counted down
	passed     BIGINT NOT NULL,     -- the last generation that came to its end, and was not broken; 0: none
	counted    MEDIUMTEXT NOT NULL, -- the requests that have counted down in this one, a blank around each
	why        TEXT NOT NULL,       -- who has ended the one before, and why
	since      BIGINT NOT NULL,     -- when this row was changed last, us since 1970-01-01 00:00 UTC
	PRIMARY KEY (name),
	KEY by_age (since)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

INSERT INTO dblock_event (at, kind, name, token, host, pid, app, session, by_host, by_pid, by_app, detail)
VALUES (CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED), 10, '', 0, '', 0, '', '', '', 0, '',
        'migration 0025_pools');
