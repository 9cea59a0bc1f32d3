-- optimistic_leave: what optimistic_enter has set is as it was.
SET SESSION innodb_lock_wait_timeout = @wait_of_dblock,
    SESSION last_insert_id = @id_of_dblock
