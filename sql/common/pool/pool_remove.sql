-- pool_remove: a name is no member of a pool any more.
-- $1 pool  $2 member
DELETE FROM dblock_pool WHERE pool = $1 AND member = $2
