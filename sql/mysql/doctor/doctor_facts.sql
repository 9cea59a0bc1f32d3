-- doctor_facts: what matters for locks, by name: the server's settings, not those that dblock sets for
-- its own connections.
-- $1 database, '' = the connection's
WITH processes AS (
SELECT user, command FROM information_schema.processlist /*!80000 WHERE NOT @@performance_schema
 UNION ALL SELECT user, command FROM performance_schema.processlist */), -- see ring
v AS (
SELECT REPLACE(LOWER(g.variable_name), '_master_', '_source_') AS name, g.variable_value AS value
  FROM /*M! information_schema.global_variables */ /*!80000 performance_schema.global_variables */ g),
s AS (
SELECT REPLACE(LOWER(g.variable_name), '_master_', '_source_') AS name, g.variable_value AS value
  FROM /*M! information_schema.global_status */ /*!80000 performance_schema.global_status */ g),
-- Rights from a role are not among them.
mine AS (
SELECT p.privilege_type AS may FROM information_schema.user_privileges p
 WHERE REPLACE(p.grantee, '''', '') = CURRENT_USER())
SELECT CASE WHEN VERSION() LIKE '%MariaDB%' THEN 'mariadb' ELSE 'mysql' END AS name,
       VERSION() AS value
UNION ALL
SELECT CASE v.name WHEN 'tx_isolation' THEN 'isolation' WHEN 'transaction_isolation' THEN 'isolation'
                   ELSE v.name END,
       v.value
  FROM v
 WHERE v.name IN ('tx_isolation', 'transaction_isolation', 'super_read_only', 'offline_mode', 'log_bin',
                  'innodb_flush_log_at_trx_commit', 'innodb_flush_method', 'innodb_doublewrite',
                  'wsrep_on')
    OR (v.name = 'read_only' AND NOT EXISTS (SELECT 1 FROM v r
                                              WHERE r.name = 'super_read_only' AND r.value = 'ON'))
    OR (v.name IN ('sync_binlog', 'binlog_format') AND @@GLOBAL.log_bin)
UNION ALL
-- MySQL has the second one without a group as well; with several primaries it has no meaning.
SELECT v.name, v.value
  FROM v JOIN v g ON g.name = 'group_replication_group_name' AND g.value <> ''
         JOIN v m ON m.name = 'group_replication_single_primary_mode'
 WHERE v.name IN ('group_replication_single_primary_mode', 'group_replication_unreachable_majority_timeout')
    OR (v.name = 'group_replication_consistency' AND m.value = 'ON')
UNION ALL
SELECT s.name, s.value
  FROM s JOIN v ON v.name = 'wsrep_on' AND v.value = 'ON'
 WHERE s.name = 'wsrep_cluster_size'
UNION ALL
-- This option is no variable.
SELECT 'sysdate_is_now', IF(SLEEP(0.001) = 0 AND SYSDATE(6) = NOW(6), 'ON', 'OFF')
UNION ALL
-- Only a user with PROCESS sees who reads the binary log; that somebody acknowledges, all can see.
SELECT 'replicas',
       CASE WHEN NOT @@GLOBAL.log_bin THEN NULL
            WHEN y.enabled AND y.fallen THEN 'fallen'
            WHEN y.enabled AND y.clients > 0 THEN y.point
            WHEN EXISTS (SELECT 1 FROM processes l
                          WHERE l.command LIKE 'Binlog Dump%') THEN 'async'
            WHEN NOT EXISTS (SELECT 1 FROM mine WHERE mine.may = 'PROCESS') THEN 'unknown'
            WHEN NOT EXISTS (SELECT 1 FROM v
                              WHERE v.name = 'group_replication_group_name' AND v.value <> '') THEN 'none' END
  FROM (SELECT EXISTS (SELECT 1 FROM v WHERE v.name = 'rpl_semi_sync_source_enabled' AND v.value = 'ON') AS enabled,
               EXISTS (SELECT 1 FROM s WHERE s.name = 'rpl_semi_sync_source_status' AND s.value = 'OFF') AS fallen,
               (SELECT CAST(s.value AS SIGNED) FROM s WHERE s.name = 'rpl_semi_sync_source_clients') AS clients,
               (SELECT v.value FROM v WHERE v.name = 'rpl_semi_sync_source_wait_point') AS point) y
UNION ALL
SELECT 'semi_sync_wait', CONCAT(v.value, ' ms')
  FROM v JOIN v e ON e.name = 'rpl_semi_sync_source_enabled' AND e.value = 'ON'
 WHERE v.name = 'rpl_semi_sync_source_timeout' AND @@GLOBAL.log_bin
UNION ALL
-- A client has at most four connections. One of those in use is ours.
SELECT 'clients_fit',
       CONCAT(GREATEST(0, LEAST(c.most - c.used + 1, IF(c.each_user > 0, c.each_user - c.mine + 1, c.most))) DIV 4,
              ' (max_connections ', c.most, IF(c.each_user > 0, CONCAT(', max_user_connections ', c.each_user), ''),
              ', ', c.used, ' in use)')
  FROM (SELECT @@GLOBAL.max_connections + 0 AS most, @@SESSION.max_user_connections + 0 AS each_user,
               (SELECT CAST(s.value AS SIGNED) FROM s WHERE s.name = 'threads_connected') AS used,
               (SELECT COUNT(*) FROM processes p
                 WHERE p.user = SUBSTRING_INDEX(CURRENT_USER(), '@', 1)) AS mine) c
UNION ALL
SELECT 'may_create',
       CASE WHEN EXISTS (SELECT 1 FROM mine WHERE mine.may = 'CREATE')
              OR EXISTS (SELECT 1 FROM information_schema.schema_privileges p
                          WHERE p.privilege_type = 'CREATE'
                            AND REPLACE(p.grantee, '''', '') = CURRENT_USER()
                            AND COALESCE(NULLIF($1, ''), DATABASE()) LIKE p.table_schema)
            THEN 'on' ELSE 'off' END
UNION ALL
-- Can connections of others be seen and interrupted? SUPER implies CONNECTION ADMIN.
SELECT 'may_interrupt',
       CASE WHEN EXISTS (SELECT 1 FROM mine WHERE mine.may = 'PROCESS')
             AND EXISTS (SELECT 1 FROM mine WHERE mine.may IN ('SUPER', 'CONNECTION ADMIN', 'CONNECTION_ADMIN'))
            THEN 'on'
            WHEN COALESCE(CURRENT_ROLE(), 'NONE') <> 'NONE' THEN 'role'
            ELSE 'off' END
