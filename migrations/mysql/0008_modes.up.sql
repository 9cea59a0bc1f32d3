-- Modes: a row of dblock_waiter waits until it is given a token; from then on it holds. So are held
-- whatever may have more than one holder, or was upgraded; who has a lock alone is in dblock_lock.
-- (dblock_lock.mode: 0 its own row says who has it, 1 rows of dblock_waiter with a token do.)
ALTER TABLE dblock_waiter
	ADD COLUMN mode       SMALLINT NOT NULL DEFAULT 0, -- 0 exclusive, 1 shared, 2 update, 3 permits
	ADD COLUMN weight     BIGINT NOT NULL DEFAULT 1,   -- so many permits
	ADD COLUMN capacity   BIGINT NULL,                 -- of so many that there are
	ADD COLUMN upgrades   BIGINT NULL,                 -- nonce of its own grant that it is to replace
	ADD COLUMN names      BIGINT NOT NULL DEFAULT 1,   -- it waits for so many names at once
	ADD COLUMN blocks     BOOLEAN NOT NULL DEFAULT FALSE, -- its thread does nothing else meanwhile
	ADD COLUMN token      BIGINT NULL,                 -- fencing token: it holds; NULL: it waits
	ADD COLUMN host       VARCHAR(255) NOT NULL DEFAULT '', -- of a holder: where,
	ADD COLUMN pid        BIGINT NOT NULL DEFAULT 0,   -- process,
	ADD COLUMN expires    BIGINT NULL,                 -- held until then; NULL: by its session,
	ADD COLUMN keep_until BIGINT NULL,                 -- minimum hold,
	ADD COLUMN acquired   BIGINT NULL,                 -- since when,
	ADD COLUMN reentry    BIGINT NOT NULL DEFAULT 1;   -- and times acquired
