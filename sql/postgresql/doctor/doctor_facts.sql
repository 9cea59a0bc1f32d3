-- doctor_facts: what matters for locks, by name: settings as they are by default for this user and
-- database, as dblock sets some of them for its own connections.
-- $1 schema
SELECT CASE s.name WHEN 'server_version' THEN 'postgresql'
                   WHEN 'default_transaction_isolation' THEN 'isolation'
                   ELSE s.name END AS name,
       s.reset_val AS value
  FROM pg_settings s
 WHERE s.name IN ('server_version', 'fsync', 'full_page_writes', 'synchronous_commit',
                  'default_transaction_isolation', 'default_transaction_read_only')
UNION ALL
SELECT 'in_recovery', CASE WHEN pg_is_in_recovery() THEN 'on' ELSE 'off' END
UNION ALL
-- Few may see the state of each standby; all may see that there is one. Names may be those of none that is
-- connected.
SELECT 'replication',
       CASE WHEN current_setting('synchronous_standby_names') = ''
            THEN CASE WHEN count(*) = 0 THEN 'none' ELSE 'asynchronous' END
            WHEN count(*) FILTER (WHERE r.sync_state IN ('sync', 'quorum')) > 0 THEN 'synchronous'
            WHEN count(*) = 0 OR count(r.sync_state) > 0 THEN 'awaited'
            ELSE 'unseen' END
  FROM pg_stat_replication r
UNION ALL
-- A client has at most four connections. One of those in use is ours.
SELECT 'clients_fit',
       format('%s (max_connections %s, %s of them kept for administrators, %s in use)',
              greatest(0, least(c.most - c.kept - c.used + 1,
                                CASE WHEN r.rolconnlimit >= 0 THEN r.rolconnlimit - c.mine + 1 END,
                                CASE WHEN d.datconnlimit >= 0 THEN d.datconnlimit - c.here + 1 END)) / 4,
              c.most, c.kept, c.used)
  FROM (SELECT current_setting('max_connections')::int AS most,
               current_setting('superuser_reserved_connections')::int
               + coalesce(current_setting('reserved_connections', true)::int, 0) AS kept,
               (SELECT count(*) FROM pg_stat_activity a WHERE a.backend_type = 'client backend') AS used,
               (SELECT count(*) FROM pg_stat_activity a WHERE a.usename = current_user) AS mine,
               (SELECT count(*) FROM pg_stat_activity a WHERE a.datname = current_database()) AS here) c
  JOIN pg_roles r ON r.rolname = current_user
  JOIN pg_database d ON d.datname = current_database()
UNION ALL
SELECT 'may_create', CASE WHEN has_schema_privilege(n.oid, 'CREATE') THEN 'on' ELSE 'off' END
  FROM pg_namespace n
 WHERE n.nspname = $1::text
