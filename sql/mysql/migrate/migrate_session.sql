-- migrate_session: a user's file waits for other people's locks only so long.
-- $1 ms
SET SESSION lock_wait_timeout = $1 DIV 1000, innodb_lock_wait_timeout = $1 DIV 1000
