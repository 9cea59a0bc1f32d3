-- join_behind: never sent to this database, where join costs no more.
-- $1 ignored
SELECT 0 FROM dblock_lock WHERE name IS NULL
