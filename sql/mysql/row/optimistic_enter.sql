-- optimistic_enter: bound the time for which a statement with the caller's values waits for each lock, in
-- whole seconds, at least one; the word is replaced by ms. The old setting is kept for optimistic_leave.
-- (The caller's time zone stays, as the values may be times.)
SET @wait_of_dblock = @@SESSION.innodb_lock_wait_timeout,
    @id_of_dblock = @@SESSION.last_insert_id,
    SESSION innodb_lock_wait_timeout = GREATEST(1, :ms DIV 1000)
