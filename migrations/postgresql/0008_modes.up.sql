-- Modes: a row of dblock_waiter waits until it is given a token; from then on it holds. So are held
-- whatever may have more than one holder, or was upgraded; who has a lock alone is in dblock_lock.
-- (dblock_lock.mode: 0 its own row says who has it, 1 rows of dblock_waiter with a token do.)
ALTER TABLE dblock_waiter
	ADD COLUMN mode       smallint NOT NULL DEFAULT 0, -- 0 exclusive, 1 shared, 2 update, 3 permits
	ADD COLUMN weight     bigint NOT NULL DEFAULT 1 CHECK (weight > 0), -- so many permits
	ADD COLUMN capacity   bigint,                      -- of so many that there are
	ADD COLUMN upgrades   bigint,                      -- nonce of its own grant that it is to replace
	ADD COLUMN names      bigint NOT NULL DEFAULT 1,   -- it waits for so many names at once
	ADD COLUMN blocks     boolean NOT NULL DEFAULT false, -- its thread does nothing else meanwhile
	ADD COLUMN token      bigint,                      -- fencing token: it holds; NULL: it waits
	ADD COLUMN host       text NOT NULL DEFAULT '',    -- of a holder: where,
	ADD COLUMN pid        bigint NOT NULL DEFAULT 0,   -- process,
	ADD COLUMN expires    bigint,                      -- held until then; NULL: by its session,
	ADD COLUMN keep_until bigint,                      -- minimum hold,
	ADD COLUMN acquired   bigint,                      -- since when,
	ADD COLUMN reentry    bigint NOT NULL DEFAULT 1;   -- and times acquired
