-- pool_put: a member of a pool, drained or not; also if it is one.
-- $1 pool  $2 member  $3 1: drained
INSERT INTO dblock_pool AS p (pool, member, drained, since)
VALUES ($1::text, $2::text, $3::smallint, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint)
ON CONFLICT (pool, member) DO UPDATE SET drained = excluded.drained, since = excluded.since
 WHERE p.drained <> excluded.drained
