-- migrate_session: bound the time for which a user's file waits for locks of others.
-- $1 ms
SET SESSION lock_wait_timeout = $1 DIV 1000, innodb_lock_wait_timeout = $1 DIV 1000
