-- migrate_reset: a user's file begins with the server's own settings, whatever the one before has
-- left. Not mysql_reset_connection: that would give the lock back.
SET NAMES utf8mb4
-- step
SET SESSION
	sql_mode = DEFAULT,
	time_zone = DEFAULT,
	foreign_key_checks = DEFAULT,
	unique_checks = DEFAULT,
	autocommit = 1,
	completion_type = 0,
	sql_safe_updates = DEFAULT,
	group_concat_max_len = DEFAULT,
	sql_select_limit = 18446744073709551615
	/*!80000 , max_execution_time = 0 */ -- MySQL alone
	/*M! , max_statement_time = 0, idle_transaction_timeout = 0 */ -- MariaDB alone
