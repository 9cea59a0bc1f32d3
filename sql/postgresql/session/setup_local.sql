-- setup_local: behind a pooler, at the beginning of each transaction of ours and until its end: what setup
-- sets, in spite of what others have left in the server's session. A NULL is what the session began with.
-- The words are the levels of synchronous_commit that are too low, and what they are raised to.
-- Each function is qualified, and there is no operator: others may have their own, found before
-- PostgreSQL's. As a flat list it costs a third less than with VALUES.
SELECT pg_catalog.set_config('statement_timeout', '0', true),
       CASE WHEN pg_catalog.current_setting('transaction_timeout', true) IS NOT NULL
            THEN pg_catalog.set_config('transaction_timeout', '0', true) END,
       -- Between two statements of ours is no pause. Whoever is cut off there gives back, with the server's
       -- session, the rows that it has locked.
       pg_catalog.set_config('idle_in_transaction_session_timeout', '10s', true),
       pg_catalog.set_config('lock_timeout', '250ms', true),
       pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true),
       pg_catalog.set_config('role', NULL, true),
       pg_catalog.set_config('client_encoding', 'UTF8', true),
       pg_catalog.set_config('array_nulls', 'on', true),
       pg_catalog.set_config('enable_seqscan', 'off', true),
       pg_catalog.set_config('enable_hashjoin', 'off', true),
       pg_catalog.set_config('enable_mergejoin', 'off', true),
       pg_catalog.set_config('enable_bitmapscan', 'off', true),
       pg_catalog.set_config('jit', 'off', true),
       pg_catalog.set_config('plan_cache_mode', 'force_generic_plan', true),
       pg_catalog.set_config('client_min_messages', 'warning', true),
       CASE WHEN pg_catalog.int4gt(pg_catalog.strpos('{too_low}',
                   pg_catalog.set_config('synchronous_commit', NULL, true)), 0)
            THEN pg_catalog.set_config('synchronous_commit', '{commit}', true) END
