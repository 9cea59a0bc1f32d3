-- rows_leave: put back what rows_enter has set.
-- $1 nothing
SELECT pg_catalog.set_config('lock_timeout', pg_catalog.current_setting('dblock.rows_lock_timeout'), true),
       pg_catalog.set_config('statement_timeout',
                             pg_catalog.current_setting('dblock.rows_statement_timeout'), true),
       $1::bigint
