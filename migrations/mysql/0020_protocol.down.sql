-- Whose lock is taken away is not told of it any more.
ALTER TABLE dblock_session DROP COLUMN /*M! IF EXISTS */ protocol;
