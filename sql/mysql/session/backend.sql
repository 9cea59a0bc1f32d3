-- backend: the connection's number, and when the server was started, as numbers begin again then.
SELECT CONNECTION_ID(), CAST(CAST(UNIX_TIMESTAMP(SYSDATE()) - u.variable_value AS SIGNED) AS CHAR)
  FROM /*M! information_schema *//*!80000 performance_schema */.global_status u
 WHERE u.variable_name = 'UPTIME'
