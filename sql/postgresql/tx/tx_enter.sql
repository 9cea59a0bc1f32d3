-- tx_enter: inside somebody's open transaction, whose settings are his: one statement of ours waits
-- for each lock only so long. What was set is kept for tx_leave.
-- $1 ms
SELECT pg_catalog.set_config('dblock.lock_timeout', pg_catalog.current_setting('lock_timeout'), true),
       pg_catalog.set_config('lock_timeout', $1::text || 'ms', true)
