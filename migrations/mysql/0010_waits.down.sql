-- Take the view away.
DROP VIEW IF EXISTS dblock_waits;
