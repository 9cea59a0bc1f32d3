-- shape_latch: is dblock_latch ours? Gives no row; fails if a column is missing, on PostgreSQL also if
-- it is of another kind, on MySQL if it has no primary key.
SELECT name, generation, count, since
FROM dblock_latch /*M! FORCE INDEX (PRIMARY) */ /*!80000 FORCE INDEX (PRIMARY) */
WHERE false
  AND length(name) = 0
  AND generation + count + since = 0
