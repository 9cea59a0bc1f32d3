-- migrate_blockers: who has locked a table or an index that a statement names, in a transaction that is
-- older than the wait for it was long; as far as this role may see. It reads catalogs only.
-- $1 ms waited  $2 the statement
SELECT format('%s has locked %s (%s)%s', w.who, w.names, w.modes, ': ' || NULLIF(w.query, ''))
  FROM (SELECT COALESCE(format('pid %s (user %s, application "%s", %s, in its transaction since %s)', a.pid,
                               COALESCE(a.usename, '?'), a.application_name, COALESCE(a.state, '?'),
                               to_char(a.xact_start AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')),
                        format('the prepared transaction %L (user %s, since %s)', p.gid, p.owner,
                               to_char(p.prepared AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'))) AS who,
               string_agg(DISTINCT c.relname, ', ') AS names, string_agg(DISTINCT l.mode, ', ') AS modes,
               regexp_replace(left(a.query, 120), '\s+', ' ', 'g') AS query,
               COALESCE(a.xact_start, p.prepared) AS since
          FROM pg_locks l
          JOIN pg_class c ON c.oid = l.relation
          JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname NOT LIKE 'pg\_%'
          LEFT JOIN pg_stat_activity a ON a.pid = l.pid
          LEFT JOIN pg_locks x ON l.pid IS NULL AND x.pid IS NULL AND x.locktype = 'transactionid'
                 AND x.virtualtransaction = l.virtualtransaction
          LEFT JOIN pg_prepared_xacts p ON p.transaction = x.transactionid
         WHERE l.locktype = 'relation' AND l.granted AND l.mode <> 'SIReadLock'
           AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
           AND l.pid IS DISTINCT FROM pg_backend_pid()
           AND $2::text ~* ('\m' || regexp_replace(c.relname, '(\W)', '\\\1', 'g') || '\M')
           AND COALESCE(a.xact_start, p.prepared, '-infinity')
               <= clock_timestamp() - $1::bigint * interval '1 millisecond'
         GROUP BY 1, 4, 5) w
 ORDER BY w.since
 LIMIT 3
