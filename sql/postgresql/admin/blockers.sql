-- blockers: who is in the way: a session that has locked one of the tables, or waits to (LOCK TABLE,
-- ALTER TABLE, VACUUM FULL), since all others then wait for it; else one that may have locked a row of
-- the lock table in an open transaction. A row: 1 and what it does, for a table; else 0 and who it is; as
-- far as this role may see. That may be a prepared transaction, which no session has.
-- $1 schema  $2 prefix of the tables
-- It reads catalogs only, and none of the tables, for which it would have to wait. (What a serializable
-- transaction notes of its reads, SIReadLock, is in nobody's way.)
SELECT b.strong::int,
       CASE WHEN NOT b.strong THEN b.who
            WHEN b.granted THEN format('the table %s is locked (%s) by %s', b.relname, b.mode, b.who)
            ELSE format('%s waits to lock the table %s (%s), behind pid %s', b.who, b.relname, b.mode,
                        coalesce(nullif(array_to_string(pg_blocking_pids(b.pid), ', '), ''), '?')) END
  FROM (SELECT k.*, coalesce(a.xact_start, p.prepared) AS since,
               CASE WHEN p.gid IS NOT NULL
                    THEN format('the prepared transaction %L (user %s, since %s)', p.gid, p.owner,
                                to_char(p.prepared AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'))
               ELSE format('pid %s (user %s, application "%s"%s%s)', k.pid, coalesce(a.usename, '?'), a.application_name,
                      ', ' || a.state, ', in its transaction since '
                      || to_char(a.xact_start AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')) END AS who
          FROM (SELECT l.pid, l.virtualtransaction, l.mode, l.granted, c.relname,
                       l.mode NOT IN ('AccessShareLock', 'RowShareLock', 'RowExclusiveLock',
                                      'ShareUpdateExclusiveLock') AS strong
                  FROM pg_namespace n
                  JOIN pg_class c ON c.relnamespace = n.oid AND c.relkind = 'r'
                  JOIN pg_locks l ON l.locktype = 'relation' AND l.relation = c.oid AND l.database =
                       (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
                 WHERE n.nspname = $1::text AND l.pid IS DISTINCT FROM pg_backend_pid() AND l.mode <> 'SIReadLock'
                   AND c.relname = ANY (ARRAY[$2::text || 'lock', $2::text || 'session', $2::text || 'queue',
                                              $2::text || 'floor', $2::text || 'request', $2::text || 'once',
                                              $2::text || 'flight', $2::text || 'revocation',
                                              $2::text || 'suspect', $2::text || 'history', $2::text || 'event',
                                              $2::text || 'migration'])) k
          LEFT JOIN pg_stat_activity a ON a.pid = k.pid
          LEFT JOIN pg_locks x ON k.pid IS NULL AND x.pid IS NULL AND x.locktype = 'transactionid'
                 AND x.virtualtransaction = k.virtualtransaction
          LEFT JOIN pg_prepared_xacts p ON p.transaction = x.transactionid
         WHERE k.strong
            OR (k.granted AND k.mode <> 'AccessShareLock' AND k.relname = $2::text || 'lock')) b
 ORDER BY b.strong DESC, b.granted DESC, b.since
 LIMIT 1
