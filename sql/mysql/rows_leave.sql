-- rows_leave: what rows_enter has set is as it was.
-- $1 nothing
SET SESSION innodb_lock_wait_timeout = @rows_wait_of_dblock,
    @rows_wait_of_dblock = NULLIF($1, $1)
