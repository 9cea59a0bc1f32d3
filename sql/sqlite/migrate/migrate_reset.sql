-- migrate_reset: a user's file begins with the settings of a new connection. None outlives a file: what a
-- file sets about foreign keys is undone after it.
SELECT 1
