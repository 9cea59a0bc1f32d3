-- migrate_session: bound the time for which a user's file waits for locks of others; the server's own
-- limits on time do not apply to it.
-- $1 ms
SELECT count(pg_catalog.set_config(s.name, v.setting, false))
FROM (VALUES
	('lock_timeout', concat($1::bigint, 'ms')),
	('statement_timeout', '0'),
	('transaction_timeout', '0'),
	('idle_in_transaction_session_timeout', '0'),
	('idle_session_timeout', '0'),
	('default_transaction_read_only', 'off'),
	('client_encoding', 'UTF8'),
	('standard_conforming_strings', 'on'),
	-- A statement whose client was killed would go on, and block the next one.
	('client_connection_check_interval', '500ms'),
	-- What psql would print; and the warning that a synchronous standby was not waited for must arrive.
	('client_min_messages', 'notice')
) AS v (name, setting)
JOIN pg_catalog.pg_settings AS s ON s.name = v.name
-- Other servers refuse this one.
WHERE s.name <> 'client_connection_check_interval' OR pg_catalog.version() ~ 'linux'
