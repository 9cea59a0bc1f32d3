-- Whose lock is taken away is not told of it any more.
ALTER TABLE dblock_session DROP COLUMN protocol;
-- Nor does anybody know at once that a holder is dead.
ALTER TABLE dblock_session DROP COLUMN mark;
-- Nor does anybody find out that the database is an older copy of itself.
DROP TABLE IF EXISTS dblock_history;
