-- shape_latch: is dblock_latch ours? Gives no row; fails if a column is missing, on PostgreSQL also if
-- it is of another kind, on MySQL if it has no primary key.
SELECT name, size, generation, count, passed, counted, why, since
FROM dblock_latch /*M! FORCE INDEX (PRIMARY) */ /*!80000 FORCE INDEX (PRIMARY) */
WHERE false
  AND length(name) + length(counted) + length(why) = 0
  AND size + generation + count + passed + since = 0
