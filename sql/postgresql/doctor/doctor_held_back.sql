-- doctor_held_back: what keeps VACUUM from clearing away rows that were deleted: what it is, whose, and for how long it
-- has, us, NULL: not known. (Of dblock's own prepared transactions doctor_global tells.) Of others a transaction's age is seen with the role pg_read_all_stats.
-- $1 those that have for longer than so many us  $2 a slot in use: if it is so many transactions behind
SELECT h.what, h.who, h.age
  FROM (SELECT 'transaction' AS what,
               format('of user %s (pid %s, ''%s'')', a.usename, a.pid, a.application_name) AS who,
               (extract(epoch FROM clock_timestamp() - a.xact_start) * 1000000)::bigint AS age
          FROM pg_stat_activity a
         WHERE a.datname = current_database() AND a.backend_type <> 'autovacuum worker'
           AND a.pid <> pg_backend_pid() AND (a.backend_xmin IS NOT NULL OR a.backend_xid IS NOT NULL)
         UNION ALL
        SELECT 'prepared transaction', format('''%s'' of user %s', p.gid, p.owner),
               (extract(epoch FROM clock_timestamp() - p.prepared) * 1000000)::bigint
          FROM pg_prepared_xacts p
         WHERE p.database = current_database() AND p.gid NOT LIKE 'dblock:%'
         UNION ALL
        SELECT 'replication slot', format('''%s''', s.slot_name), NULL
          FROM pg_replication_slots s
         WHERE s.xmin IS NOT NULL AND (NOT s.active OR age(s.xmin) >= $2::bigint)) h
 WHERE h.age >= $1::bigint OR h.age IS NULL
 ORDER BY h.age DESC NULLS FIRST
 LIMIT 5
