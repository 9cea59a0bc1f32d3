-- setup: for each new connection, so that no default of the server's, the database's or the role's
-- changes what a lock means; a row for each setting. Settings that this server does not know are skipped.
-- The word is the number of the server's process as the client library knows it. Another one is at our end
-- of the connection: a pooler's, and others have the server's process as well. Then nothing is set, and
-- there is no row. What is not qualified here, an operator too, could be somebody else's there.
SELECT pg_catalog.set_config(v.name, v.setting, false)
FROM (VALUES
	-- The library has a deadline of its own for each request; a limit of the server's could
	-- end a connection between two of them.
	('statement_timeout', '0'),
	('transaction_timeout', '0'),
	('idle_in_transaction_session_timeout', '0'),
	('idle_session_timeout', '0'),
	-- A statement never waits long for a row, but is sent again later.
	('lock_timeout', '250ms'),
	('default_transaction_isolation', 'read committed'),
	('default_transaction_read_only', 'off'),
	('default_transaction_deferrable', 'off'),
	-- Every name in our statements is ours, and qualified, or PostgreSQL's.
	('search_path', 'pg_catalog'),
	('client_encoding', 'UTF8'),
	('standard_conforming_strings', 'on'),
	('transform_null_equals', 'off'),
	-- Rows are found by their keys. A plan that was made while a table was small reads all of it, and is
	-- kept while it grows; if there is no better plan, the high cost of that must not make every statement
	-- worth compiling.
	('enable_seqscan', 'off'),
	('enable_hashjoin', 'off'),
	('enable_mergejoin', 'off'),
	-- The first in the queue is found by an index, not by sorting the whole queue.
	('enable_bitmapscan', 'off'),
	('jit', 'off'),
	-- The tables' statistics, or the arguments of a few first runs, must not choose another plan.
	('plan_cache_mode', 'force_generic_plan'),
	-- The warning that a synchronous standby was not waited for must arrive.
	('client_min_messages', 'warning'),
	-- A statement whose client is gone should end soon.
	('client_connection_check_interval', '500ms'),
	-- A grant whose answer was sent must not be lost in a crash.
	('synchronous_commit', 'on')
) AS v (name, setting)
WHERE pg_catalog.pg_backend_pid() OPERATOR(pg_catalog.=) {process}
  AND CASE
	WHEN pg_catalog.texteq(v.name, 'synchronous_commit') THEN -- raised, never lowered
		pg_catalog.textregexeq(pg_catalog.current_setting(v.name), '^(off|local)$')
	WHEN pg_catalog.texteq(v.name, 'client_connection_check_interval') THEN -- others refuse it
		pg_catalog.textregexeq(pg_catalog.version(), 'linux')
		AND pg_catalog.current_setting(v.name, true) IS NOT NULL
	ELSE pg_catalog.current_setting(v.name, true) IS NOT NULL END
