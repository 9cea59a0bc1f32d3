-- shape_rate: is dblock_rate ours? Gives no row; fails if a column is missing, on PostgreSQL also if
-- it is of another kind, on MySQL if it has no primary key.
SELECT name, tat
FROM dblock_rate /*M! FORCE INDEX (PRIMARY) */ /*!80000 FORCE INDEX (PRIMARY) */
WHERE false
  AND length(name) = 0
  AND tat = 0
