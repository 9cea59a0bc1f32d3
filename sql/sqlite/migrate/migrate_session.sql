-- migrate_session: nothing to bound, as the whole file is one lock, taken at the beginning.
-- $1 ms
SELECT $1
