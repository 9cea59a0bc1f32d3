-- doctor_facts: what matters for locks, by name. Settings as they are by default for this user and
-- database: dblock sets some otherwise for its own connections.
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
-- How each standby follows may be seen by few; that there is one, by all.
SELECT 'replication',
       CASE WHEN NOT EXISTS (SELECT 1 FROM pg_stat_replication) THEN 'none'
            WHEN current_setting('synchronous_standby_names') <> '' THEN 'synchronous'
            ELSE 'asynchronous' END
UNION ALL
SELECT 'may_create', CASE WHEN has_schema_privilege(n.oid, 'CREATE') THEN 'on' ELSE 'off' END
  FROM pg_namespace n
 WHERE n.nspname = $1::text
