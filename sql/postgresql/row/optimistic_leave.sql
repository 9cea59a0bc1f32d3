-- optimistic_leave: put back what optimistic_update has set. (Going back to a savepoint does that, too,
-- and so does the end of the transaction.)
SELECT pg_catalog.set_config('lock_timeout', pg_catalog.current_setting('dblock.lock_timeout'), true)
