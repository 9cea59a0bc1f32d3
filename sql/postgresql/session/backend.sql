-- backend: the server process behind this connection; no other one ever had both its number and mark.
-- pg_stat_activity would ask for all of them, and cost three times as much.
SELECT a.pid, ((extract(epoch FROM a.backend_start) * 1000000)::bigint)::text AS mark
  FROM pg_catalog.pg_stat_get_activity(pg_backend_pid()) a
