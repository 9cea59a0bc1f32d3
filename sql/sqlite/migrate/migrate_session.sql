-- migrate_session: how long to wait for other people's locks. The whole file is one lock, and is had
-- from the beginning.
-- $1 ms
SELECT $1
