-- blockers: the oldest of the connections that have a row of the lock table locked in an open
-- transaction. MariaDB does not tell which table that is: it may be another one. Needs the PROCESS
-- privilege, on MySQL also SELECT on performance_schema.data_locks. The server does not tell who has
-- locked a table (MariaDB does, with the plugin METADATA_LOCK_INFO).
-- A row: 0 and who it is; or 2 and since when, for a prepared transaction, which no connection has: the
-- server does not tell its name here.
-- $1 database, '' = the connection's  $2 prefix
SELECT CASE WHEN t.trx_mysql_thread_id = 0 THEN 2 ELSE 0 END,
       CASE WHEN t.trx_mysql_thread_id = 0 THEN CONCAT('a prepared transaction (begun at ', t.trx_started, ')')
            ELSE CONCAT('connection ', t.trx_mysql_thread_id, ' (in its transaction since ', t.trx_started, ')') END
  FROM (SELECT COALESCE(NULLIF($1, ''), DATABASE()) AS place, CONCAT($2, 'lock') AS name) AS o
 CROSS JOIN information_schema.innodb_trx t
 WHERE t.trx_mysql_thread_id <> CONNECTION_ID() AND t.trx_rows_locked > 0
   /*!80000 AND EXISTS (SELECT 1 FROM performance_schema.data_locks k
                         WHERE k.engine_transaction_id = t.trx_id AND k.lock_status = 'GRANTED'
                           AND k.lock_type = 'RECORD'
                           AND k.object_schema = o.place AND k.object_name = o.name) */
 ORDER BY t.trx_started
 LIMIT 1
