-- backend_state: 0 that connection exists, 1 it is gone, 2 unknown: the server was restarted, or its
-- clock was set, meanwhile. (The list of processes: see ring. It is not whole
-- where the performance schema has no room for more of them.)
-- $1 number  $2 when the server was started
SELECT CASE WHEN ABS(UNIX_TIMESTAMP(SYSDATE()) - u.variable_value - $2) > 2 THEN 2
            WHEN EXISTS (SELECT 1 FROM (SELECT id FROM information_schema.processlist
                                        /*!80000 WHERE NOT @@performance_schema
                                         UNION ALL SELECT id FROM performance_schema.processlist */) p
                          WHERE p.id = $1) THEN 0
            /*!80000 WHEN @@performance_schema
                      AND (SELECT l.variable_value FROM performance_schema.global_status l
                            WHERE l.variable_name = 'Performance_schema_thread_instances_lost') <> '0' THEN 2 */
            ELSE 1 END AS state
  FROM /*M! information_schema *//*!80000 performance_schema */.global_status u
 WHERE u.variable_name = 'UPTIME'
