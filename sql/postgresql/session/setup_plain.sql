-- setup_plain: behind a pooler, at the beginning of each transaction of the caller's and until its end: what
-- others have left in the server's session does not count, but what that session began with.
SELECT pg_catalog.set_config('statement_timeout', NULL, true),
       CASE WHEN pg_catalog.current_setting('transaction_timeout', true) IS NOT NULL
            THEN pg_catalog.set_config('transaction_timeout', NULL, true) END,
       pg_catalog.set_config('idle_in_transaction_session_timeout', NULL, true),
       pg_catalog.set_config('lock_timeout', NULL, true),
       pg_catalog.set_config('search_path', NULL, true),
       pg_catalog.set_config('role', NULL, true),
       pg_catalog.set_config('row_security', NULL, true),
       pg_catalog.set_config('array_nulls', NULL, true),
       pg_catalog.set_config('client_encoding', 'UTF8', true),
       pg_catalog.set_config('enable_seqscan', NULL, true),
       pg_catalog.set_config('enable_indexscan', NULL, true),
       pg_catalog.set_config('jit', NULL, true),
       pg_catalog.set_config('client_min_messages', NULL, true),
       pg_catalog.set_config('synchronous_commit', NULL, true)
