-- rows_leave: what rows_enter has set is as it was. The casts are for MySQL, to which a
-- variable without a value is a text, once and for all, when the statement is prepared.
-- $1 nothing
SET SESSION innodb_lock_wait_timeout = CAST(@rows_wait_of_dblock AS SIGNED),
    @rows_wait_of_dblock = NULLIF($1, $1)
