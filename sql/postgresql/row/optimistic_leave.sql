-- optimistic_leave: what optimistic_update has set is as it was. (The failure that goes back to a
-- savepoint does that, too, and the end of the transaction.)
SELECT pg_catalog.set_config('lock_timeout', pg_catalog.current_setting('dblock.lock_timeout'), true)
