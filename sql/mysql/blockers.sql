-- blockers: who may hold a row of the lock table in an open transaction. Wants the PROCESS privilege. Who
-- has locked a table the server does not tell (MariaDB: with the plugin METADATA_LOCK_INFO it does).
-- A row: 0; who it is. ($1 and $2 are for other databases.)
SELECT 0, CONCAT('connection ', t.trx_mysql_thread_id, ' (in its transaction since ', t.trx_started, ')')
  FROM information_schema.innodb_trx t
 WHERE t.trx_mysql_thread_id <> CONNECTION_ID() AND t.trx_rows_locked > 0
   AND $1 = $1 AND $2 = $2
 ORDER BY t.trx_started
 LIMIT 1
