-- Whose lock is taken away is not told of it any more.
ALTER TABLE dblock_session DROP COLUMN /*M! IF EXISTS */ protocol;
-- Nor does anybody know at once that a holder is dead.
ALTER TABLE dblock_session DROP COLUMN /*M! IF EXISTS */ mark;
-- Fences lock the row that carries the grant, and do not change it.
ALTER TABLE dblock_queue DROP COLUMN /*M! IF EXISTS */ fenced;
ALTER TABLE dblock_lock DROP COLUMN /*M! IF EXISTS */ fenced;
-- Nor does anybody find out that the database is an older copy of itself.
DROP TABLE IF EXISTS dblock_history;
