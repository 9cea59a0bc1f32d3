-- backend: the server process of this connection; no other process ever has the same number and mark.
-- (pg_stat_activity would read all processes, and take three times as long.)
SELECT a.pid, ((extract(epoch FROM a.backend_start) * 1000000)::bigint)::text AS mark
  FROM pg_catalog.pg_stat_get_activity(pg_backend_pid()) a
