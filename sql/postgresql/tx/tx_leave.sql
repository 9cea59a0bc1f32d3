-- tx_leave: what tx_enter has set is as it was.
SELECT pg_catalog.set_config('lock_timeout', pg_catalog.current_setting('dblock.lock_timeout'), true)
