-- optimistic_leave: what optimistic_enter has set is as it was. The casts are for MySQL, to which a
-- variable without a value is a text, once and for all, when the statement is prepared.
SET SESSION innodb_lock_wait_timeout = CAST(@wait_of_dblock AS SIGNED),
    SESSION last_insert_id = CAST(@id_of_dblock AS SIGNED)
