-- tx_leave: what tx_enter has set is as it was. The casts are for MySQL, to which a
-- variable without a value is a text, once and for all, when the statement is prepared.
SET SESSION innodb_lock_wait_timeout = CAST(@wait_of_dblock AS SIGNED),
    SESSION time_zone = @zone_of_dblock,
    SESSION last_insert_id = CAST(@id_of_dblock AS SIGNED)
