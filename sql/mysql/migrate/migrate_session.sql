-- migrate_session: bound the time for which a user's file waits for locks of others.
-- MariaDB would report to the client how far it is, which nobody waits for: see dbl_mysql_query().
-- $1 ms
SET SESSION lock_wait_timeout = $1 DIV 1000, innodb_lock_wait_timeout = $1 DIV 1000
	/*M! , progress_report_time = 0 */
