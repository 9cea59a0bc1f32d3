-- blockers: who may hold a row of the lock table in an open transaction. Wants the PROCESS privilege.
SELECT CONCAT('connection ', t.trx_mysql_thread_id, ' (in its transaction since ', t.trx_started, ')')
  FROM information_schema.innodb_trx t
 WHERE t.trx_mysql_thread_id <> CONNECTION_ID() AND t.trx_rows_locked > 0
 ORDER BY t.trx_started
 LIMIT 1
