-- rows_leave: put back what rows_enter has set. The casts are for MySQL: it decides when it prepares the
-- statement, once and for all, that a variable without a value is a text.
-- $1 nothing
SET SESSION innodb_lock_wait_timeout = CAST(@rows_wait_of_dblock AS SIGNED),
    @rows_wait_of_dblock = NULLIF($1, $1)
