-- optimistic_enter: a statement with values of the caller's waits for each lock only so long, in
-- whole seconds and at least one; the word stands for ms. What was set is kept for optimistic_leave.
-- (His time zone stays: his values may be times.)
SET @wait_of_dblock = @@SESSION.innodb_lock_wait_timeout,
    @id_of_dblock = @@SESSION.last_insert_id,
    SESSION innodb_lock_wait_timeout = GREATEST(1, :ms DIV 1000)
