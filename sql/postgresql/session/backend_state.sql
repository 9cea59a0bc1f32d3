-- backend_state: 0 that server process exists, 1 it is gone.
-- $1 number  $2 mark
SELECT (NOT EXISTS (SELECT 1 FROM pg_catalog.pg_stat_activity a
                     WHERE a.pid = $1::int AND ((extract(epoch FROM a.backend_start) * 1000000)::bigint)::text = $2::text))::int AS gone
