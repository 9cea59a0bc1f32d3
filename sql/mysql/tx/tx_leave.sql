-- tx_leave: put back what tx_enter has set. The casts are for MySQL: it decides when it prepares the
-- statement, once and for all, that a variable without a value is a text.
SET SESSION innodb_lock_wait_timeout = CAST(@wait_of_dblock AS SIGNED),
    SESSION time_zone = @zone_of_dblock,
    SESSION last_insert_id = CAST(@id_of_dblock AS SIGNED)
