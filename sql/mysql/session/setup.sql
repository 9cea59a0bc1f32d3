-- setup: for each new connection, so that no default of the server's changes what a lock means.
-- Times are UTC. A value that does not fit is an error. COMMIT ends the transaction and does no more. A
-- statement never waits long for a row, but is sent again later. The library has a deadline of its own
-- for each request, so the server's limits on statements and idle connections only hurt. But if the
-- library's process is stopped in a transaction, nobody must wait for that (MySQL has no such limit).
SET NAMES utf8mb4 COLLATE utf8mb4_bin, SESSION
	time_zone = '+00:00',
	autocommit = 1,
	completion_type = 0,
	sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION',
	innodb_lock_wait_timeout = 1,
	lock_wait_timeout = 1,
	sql_safe_updates = 0,
	sql_auto_is_null = 0,
	sql_big_selects = 1,
	sql_select_limit = 18446744073709551615,
	wait_timeout = 28800
	/*!80000 , max_execution_time = 0 */ -- MySQL alone
	/*M! , max_statement_time = 0, idle_transaction_timeout = 10 */ -- MariaDB alone
-- step
SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED, READ WRITE
