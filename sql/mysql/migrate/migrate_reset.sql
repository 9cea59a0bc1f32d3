-- migrate_reset: a user's file begins with the server's own settings, whatever the file before has set.
-- Not mysql_reset_connection: that would give the right to migrate back. Not DEFAULT: that makes MySQL
-- turn foreign_key_checks and unique_checks off (its manual says that it is the global value).
SET NAMES utf8mb4
-- step
SET SESSION
	sql_mode = @@GLOBAL.sql_mode,
	time_zone = @@GLOBAL.time_zone,
	foreign_key_checks = @@GLOBAL.foreign_key_checks,
	unique_checks = @@GLOBAL.unique_checks,
	autocommit = 1,
	completion_type = 0,
	sql_safe_updates = @@GLOBAL.sql_safe_updates,
	group_concat_max_len = @@GLOBAL.group_concat_max_len,
	sql_select_limit = 18446744073709551615
	/*!80000 , max_execution_time = 0 */ -- MySQL alone
	/*M! , max_statement_time = 0, idle_transaction_timeout = 0 */ -- MariaDB alone
