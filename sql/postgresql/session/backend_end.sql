-- backend_end: end a server process of ours, so that nothing that it was sent is carried out any more.
-- $1 number  $2 mark
SELECT count(pg_terminate_backend(a.pid))::int AS ended
  FROM pg_catalog.pg_stat_activity a
 WHERE a.pid = $1::int AND ((extract(epoch FROM a.backend_start) * 1000000)::bigint)::text = $2::text
