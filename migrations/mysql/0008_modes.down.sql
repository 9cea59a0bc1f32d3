-- Back to exclusive locks only: whatever rows of dblock_waiter hold is lost.
DELETE FROM dblock_waiter WHERE token IS NOT NULL OR mode <> 0 OR upgrades IS NOT NULL OR names <> 1;
UPDATE dblock_lock SET mode = 0;
ALTER TABLE dblock_waiter
	DROP COLUMN reentry,
	DROP COLUMN acquired,
	DROP COLUMN keep_until,
	DROP COLUMN expires,
	DROP COLUMN pid,
	DROP COLUMN host,
	DROP COLUMN token,
	DROP COLUMN blocks,
	DROP COLUMN names,
	DROP COLUMN upgrades,
	DROP COLUMN capacity,
	DROP COLUMN weight,
	DROP COLUMN mode;
