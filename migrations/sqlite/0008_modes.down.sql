-- Back to exclusive locks only: whatever rows of dblock_waiter hold is lost.
DELETE FROM dblock_waiter WHERE token IS NOT NULL OR mode <> 0 OR upgrades IS NOT NULL OR names <> 1;
UPDATE dblock_lock SET mode = 0;
ALTER TABLE dblock_waiter DROP COLUMN reentry;
ALTER TABLE dblock_waiter DROP COLUMN acquired;
ALTER TABLE dblock_waiter DROP COLUMN keep_until;
ALTER TABLE dblock_waiter DROP COLUMN expires;
ALTER TABLE dblock_waiter DROP COLUMN clock;
ALTER TABLE dblock_waiter DROP COLUMN pid;
ALTER TABLE dblock_waiter DROP COLUMN host;
ALTER TABLE dblock_waiter DROP COLUMN token;
ALTER TABLE dblock_waiter DROP COLUMN blocks;
ALTER TABLE dblock_waiter DROP COLUMN names;
ALTER TABLE dblock_waiter DROP COLUMN upgrades;
ALTER TABLE dblock_waiter DROP COLUMN capacity;
ALTER TABLE dblock_waiter DROP COLUMN weight;
ALTER TABLE dblock_waiter DROP COLUMN mode;
