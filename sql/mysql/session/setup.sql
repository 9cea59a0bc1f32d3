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
	/*!80000 , max_execution_time = 0, information_schema_stats_expiry = 0 */ -- MySQL alone
	/*M! , max_statement_time = 0, idle_transaction_timeout = 10 */ -- MariaDB alone
-- step
-- A node of Galera answers, and changes rows, as of what it has applied: but who was woken by a hand-over on
-- another node has to find his grant. So it catches up first, with each statement of ours (1 SELECT, 2 UPDATE
-- and DELETE, 4 INSERT), which a commit would wait for in any case. No statement of ours is sent in fragments.
-- (A MariaDB that was built without Galera does not know these variables: 1193.)
/*M! BEGIN NOT ATOMIC
	DECLARE CONTINUE HANDLER FOR 1193 BEGIN END;
	EXECUTE IMMEDIATE 'SET SESSION wsrep_sync_wait = 7, SESSION wsrep_dirty_reads = 0, SESSION wsrep_trx_fragment_size = 0';
	SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED, READ WRITE;
END */ /*!80000 SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED, READ WRITE */
