-- backend: the server process behind this connection; no other one ever had both its number and mark.
SELECT a.pid, ((extract(epoch FROM a.backend_start) * 1000000)::bigint)::text AS mark
  FROM pg_catalog.pg_stat_activity a
 WHERE a.pid = pg_backend_pid()
