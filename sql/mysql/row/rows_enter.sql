-- rows_enter: inside somebody's open transaction: one statement of ours waits for each lock only so
-- long. What was set is kept for rows_leave.
-- $1 s
SET @rows_wait_of_dblock = @@SESSION.innodb_lock_wait_timeout,
    SESSION innodb_lock_wait_timeout = $1
