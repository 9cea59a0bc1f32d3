-- rows_enter: in the caller's open transaction, bound the time that one statement of ours takes, with all
-- its waits; a smaller limit of the caller's stays. The old setting is kept for rows_leave.
-- $1 ms
SELECT pg_catalog.set_config('dblock.rows_lock_timeout', pg_catalog.current_setting('lock_timeout'), true),
       pg_catalog.set_config('dblock.rows_statement_timeout',
                             pg_catalog.current_setting('statement_timeout'), true),
       pg_catalog.set_config('lock_timeout', '0', true),
       pg_catalog.set_config('statement_timeout',
                             CASE WHEN s.setting::bigint BETWEEN 1 AND $1::bigint THEN s.setting
                                  ELSE $1::text END, true)
  FROM pg_catalog.pg_settings AS s
 WHERE s.name = 'statement_timeout'
