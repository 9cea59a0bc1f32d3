-- rows_enter: in the caller's open transaction, bound the time for which one statement of ours waits for
-- each lock. The old setting is kept for rows_leave.
-- $1 s
SET @rows_wait_of_dblock = @@SESSION.innodb_lock_wait_timeout,
    SESSION innodb_lock_wait_timeout = $1
