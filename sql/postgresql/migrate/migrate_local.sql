-- migrate_local: behind a pooler, in the transaction of a user's file: what migrate_reset and
-- migrate_session do for a session, and our own role again. See setup_local.
-- $1 ms
SELECT pg_catalog.set_config('lock_timeout', pg_catalog.concat($1::bigint, 'ms'), true),
       pg_catalog.set_config('statement_timeout', '0', true),
       pg_catalog.set_config('idle_in_transaction_session_timeout', '0', true),
       pg_catalog.set_config('client_min_messages', 'notice', true),
       pg_catalog.set_config('search_path', NULL, true),
       pg_catalog.set_config('role', NULL, true),
       pg_catalog.set_config('enable_seqscan', NULL, true),
       pg_catalog.set_config('enable_hashjoin', NULL, true),
       pg_catalog.set_config('enable_mergejoin', NULL, true),
       pg_catalog.set_config('enable_bitmapscan', NULL, true),
       pg_catalog.set_config('jit', NULL, true),
       pg_catalog.set_config('plan_cache_mode', NULL, true)
