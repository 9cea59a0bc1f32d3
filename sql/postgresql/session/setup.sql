-- setup: for each new connection: nothing that server, database or role have as default may change
-- what a lock means. Settings that this server does not know are passed over.
SELECT pg_catalog.set_config(v.name, v.setting, false)
FROM (VALUES
	-- The library has a deadline of its own for each request; a limit of the server's could
	-- end a connection between two of them.
	('statement_timeout', '0'),
	('transaction_timeout', '0'),
	('idle_in_transaction_session_timeout', '0'),
	('idle_session_timeout', '0'),
	-- Never wait long for somebody's row: come back instead.
	('lock_timeout', '250ms'),
	('default_transaction_isolation', 'read committed'),
	('default_transaction_read_only', 'off'),
	('default_transaction_deferrable', 'off'),
	-- Every name in these texts is either ours, and qualified, or PostgreSQL's.
	('search_path', 'pg_catalog'),
	('client_encoding', 'UTF8'),
	('standard_conforming_strings', 'on'),
	('transform_null_equals', 'off'),
	-- Rows are found by their keys. A plan made while a table was small reads all of it, and is
	-- kept while it grows; for lack of such, the price of a table that has to be read must not
	-- make every statement worth compiling.
	('enable_seqscan', 'off'),
	('enable_hashjoin', 'off'),
	('enable_mergejoin', 'off'),
	-- First in line is who an index says first: not all that are in it, sorted.
	('enable_bitmapscan', 'off'),
	('jit', 'off'),
	-- The tables' statistics, or the arguments of a few first runs, must not choose another plan.
	('plan_cache_mode', 'force_generic_plan'),
	-- That a synchronous standby was not waited for comes as a warning: it must arrive.
	('client_min_messages', 'warning'),
	-- A statement whose client is gone should end soon.
	('client_connection_check_interval', '500ms'),
	-- A grant that was answered must not be forgotten in a crash.
	('synchronous_commit', 'on')
) AS v (name, setting)
WHERE CASE v.name
	WHEN 'synchronous_commit' THEN -- raised, never lowered
		pg_catalog.current_setting(v.name) IN ('off', 'local')
	WHEN 'client_connection_check_interval' THEN -- others refuse it
		pg_catalog.version() ~ 'linux' AND pg_catalog.current_setting(v.name, true) IS NOT NULL
	ELSE pg_catalog.current_setting(v.name, true) IS NOT NULL END
