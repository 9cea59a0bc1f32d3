-- pool_drain: a member of a pool is granted to nobody else who asks by the pool's name.
-- $1 pool  $2 member
UPDATE dblock_pool
   SET since = CASE WHEN drained = 0 THEN $wall ELSE since + 1 END, drained = 1
 WHERE pool = $1 AND member = $2
