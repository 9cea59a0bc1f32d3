-- doctor_facts: what matters for locks, by name. The server's settings, not those that dblock sets
-- for its own connections.
-- $1 database, '' = the connection's
SELECT CASE WHEN VERSION() LIKE '%MariaDB%' THEN 'mariadb' ELSE 'mysql' END AS name,
       VERSION() AS value
UNION ALL
SELECT CASE LOWER(v.variable_name) WHEN 'tx_isolation' THEN 'isolation'
                                   WHEN 'transaction_isolation' THEN 'isolation'
                                   ELSE LOWER(v.variable_name) END,
       v.variable_value
  FROM /*M! information_schema.global_variables */ /*!80000 performance_schema.global_variables */ v
 WHERE v.variable_name IN ('tx_isolation', 'transaction_isolation', 'read_only', 'super_read_only',
                           'innodb_flush_log_at_trx_commit', 'innodb_flush_method',
                           'sysdate_is_now', 'wsrep_on', 'group_replication_group_name')
    OR (v.variable_name IN ('sync_binlog', 'binlog_format') AND @@GLOBAL.log_bin)
UNION ALL
-- Who reads the binary log is seen only with the right PROCESS.
SELECT 'replicas',
       CASE WHEN NOT @@GLOBAL.log_bin THEN 'none'
            WHEN NOT EXISTS (SELECT 1 FROM information_schema.user_privileges p
                              WHERE p.privilege_type = 'PROCESS'
                                AND REPLACE(p.grantee, '''', '') = CURRENT_USER()) THEN 'unknown'
            WHEN NOT EXISTS (SELECT 1 FROM information_schema.processlist l
                              WHERE l.command LIKE 'Binlog Dump%') THEN 'none'
            WHEN EXISTS (SELECT 1 FROM
                         /*M! information_schema.global_variables */
                         /*!80000 performance_schema.global_variables */ v
                          WHERE v.variable_name IN ('rpl_semi_sync_master_enabled',
                                                    'rpl_semi_sync_source_enabled')
                            AND v.variable_value = 'ON') THEN 'semi'
            ELSE 'async' END
UNION ALL
-- Four connections are the most that a client has. One of those in use is ours.
SELECT 'clients_fit',
       CONCAT(GREATEST(0, LEAST(c.most - c.used + 1, IF(c.each_user > 0, c.each_user - c.mine + 1, c.most))) DIV 4,
              ' (max_connections ', c.most, IF(c.each_user > 0, CONCAT(', max_user_connections ', c.each_user), ''),
              ', ', c.used, ' in use)')
  FROM (SELECT @@GLOBAL.max_connections + 0 AS most, @@SESSION.max_user_connections + 0 AS each_user,
               (SELECT CAST(v.variable_value AS SIGNED)
                  FROM /*M! information_schema.global_status */ /*!80000 performance_schema.global_status */ v
                 WHERE v.variable_name = 'Threads_connected') AS used,
               (SELECT COUNT(*) FROM information_schema.processlist p
                 WHERE p.user = SUBSTRING_INDEX(CURRENT_USER(), '@', 1)) AS mine) c
UNION ALL
SELECT 'may_create',
       CASE WHEN EXISTS (SELECT 1 FROM information_schema.user_privileges p
                          WHERE p.privilege_type = 'CREATE'
                            AND REPLACE(p.grantee, '''', '') = CURRENT_USER())
              OR EXISTS (SELECT 1 FROM information_schema.schema_privileges p
                          WHERE p.privilege_type = 'CREATE'
                            AND REPLACE(p.grantee, '''', '') = CURRENT_USER()
                            AND COALESCE(NULLIF($1, ''), DATABASE()) LIKE p.table_schema)
            THEN 'on' ELSE 'off' END
UNION ALL
-- Whose connections may be seen and interrupted. SUPER goes for CONNECTION ADMIN.
SELECT 'may_interrupt',
       CASE WHEN EXISTS (SELECT 1 FROM information_schema.user_privileges p
                          WHERE p.privilege_type = 'PROCESS'
                            AND REPLACE(p.grantee, '''', '') = CURRENT_USER())
             AND EXISTS (SELECT 1 FROM information_schema.user_privileges p
                          WHERE p.privilege_type IN ('SUPER', 'CONNECTION ADMIN', 'CONNECTION_ADMIN')
                            AND REPLACE(p.grantee, '''', '') = CURRENT_USER())
            THEN 'on' ELSE 'off' END
