-- blockers: who may hold a row of the lock table in an open transaction.
SELECT format('pid %s (user %s, application "%s", %s, in its transaction since %s)',
              a.pid, a.usename, a.application_name, a.state, a.xact_start::timestamptz(0))
  FROM pg_catalog.pg_locks l
  JOIN pg_catalog.pg_stat_activity a ON a.pid = l.pid
 WHERE l.locktype = 'relation' AND l.mode IN ('RowShareLock', 'RowExclusiveLock')
   AND l.relation = (SELECT t.tableoid FROM dblock_lock t LIMIT 1)
   AND l.pid <> pg_backend_pid()
 ORDER BY a.xact_start
 LIMIT 1
