-- tx_leave: put back what tx_enter has set.
SELECT pg_catalog.set_config('lock_timeout', pg_catalog.current_setting('dblock.lock_timeout'), true)
