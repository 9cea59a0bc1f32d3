-- backend_state: 0 that connection exists, 1 it is gone, 2 unknown: the server was restarted, or its
-- clock was set, meanwhile.
-- $1 number  $2 when the server was started
SELECT CASE WHEN ABS(UNIX_TIMESTAMP(SYSDATE()) - u.variable_value - $2) > 2 THEN 2
            WHEN EXISTS (SELECT 1 FROM information_schema.processlist p WHERE p.id = $1) THEN 0
            ELSE 1 END AS state
  FROM /*M! information_schema *//*!80000 performance_schema */.global_status u
 WHERE u.variable_name = 'UPTIME'
