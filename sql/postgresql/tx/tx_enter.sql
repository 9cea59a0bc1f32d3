-- tx_enter: in the caller's open transaction: one statement of ours waits for each lock only so long. The
-- old setting is kept for tx_leave.
-- $1 ms
SELECT pg_catalog.set_config('dblock.lock_timeout', pg_catalog.current_setting('lock_timeout'), true),
       pg_catalog.set_config('lock_timeout', $1::text || 'ms', true)
