-- migrate_local: never sent, as nobody looks for a pooler before this database.
-- $1 ms
SELECT $1
