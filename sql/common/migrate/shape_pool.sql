-- shape_pool: is dblock_pool ours? Gives no row; fails if a column is missing, on PostgreSQL also if
-- it is of another kind, on MySQL if it has no primary key.
SELECT pool, member, drained, since
FROM dblock_pool /*M! FORCE INDEX (PRIMARY) */ /*!80000 FORCE INDEX (PRIMARY) */
WHERE false
  AND length(pool) + length(member) = 0
  AND drained + since = 0
