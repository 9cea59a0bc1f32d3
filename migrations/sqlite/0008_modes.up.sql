-- Modes: a row of dblock_waiter waits until it is given a token; from then on it holds. So are held
-- whatever may have more than one holder, or was upgraded; who has a lock alone is in dblock_lock.
-- (dblock_lock.mode: 0 its own row says who has it, 1 rows of dblock_waiter with a token do.)
-- 0 exclusive, 1 shared, 2 update, 3 permits
ALTER TABLE dblock_waiter ADD COLUMN mode       INTEGER NOT NULL DEFAULT 0;
-- so many permits
ALTER TABLE dblock_waiter ADD COLUMN weight     INTEGER NOT NULL DEFAULT 1 CHECK (weight > 0);
-- of so many that there are
ALTER TABLE dblock_waiter ADD COLUMN capacity   INTEGER;
-- nonce of its own grant that it is to replace
ALTER TABLE dblock_waiter ADD COLUMN upgrades   INTEGER;
-- it waits for so many names at once
ALTER TABLE dblock_waiter ADD COLUMN names      INTEGER NOT NULL DEFAULT 1;
-- its thread does nothing else meanwhile
ALTER TABLE dblock_waiter ADD COLUMN blocks     INTEGER NOT NULL DEFAULT 0 CHECK (blocks IN (0, 1));
-- fencing token: it holds; NULL: it waits
ALTER TABLE dblock_waiter ADD COLUMN token      INTEGER;
-- of a holder: where,
ALTER TABLE dblock_waiter ADD COLUMN host       TEXT NOT NULL DEFAULT '';
-- process,
ALTER TABLE dblock_waiter ADD COLUMN pid        INTEGER NOT NULL DEFAULT 0;
-- which boot of which machine the ends count from,
ALTER TABLE dblock_waiter ADD COLUMN clock      TEXT NOT NULL DEFAULT '';
-- held until then, since boot; NULL: by its session,
ALTER TABLE dblock_waiter ADD COLUMN expires    INTEGER;
-- minimum hold,
ALTER TABLE dblock_waiter ADD COLUMN keep_until INTEGER;
-- since when, since 1970,
ALTER TABLE dblock_waiter ADD COLUMN acquired   INTEGER;
-- and times acquired
ALTER TABLE dblock_waiter ADD COLUMN reentry    INTEGER NOT NULL DEFAULT 1;
