-- pool_put: a member of a pool, drained or not; also if it is one. Assignments run from left to right and see new
-- values.
-- $1 pool  $2 member  $3 1: drained
INSERT INTO dblock_pool (pool, member, drained, since)
VALUES ($1, $2, $3, CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED))
ON DUPLICATE KEY UPDATE
  since = IF(dblock_pool.drained = $3, dblock_pool.since, CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED)),
  drained = $3
