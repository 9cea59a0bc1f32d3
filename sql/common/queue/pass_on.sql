-- pass_on: never sent to this database, where hand_over costs no more.
-- $1 ignored
SELECT 0, 0, '' FROM dblock_lock WHERE name IS NULL
