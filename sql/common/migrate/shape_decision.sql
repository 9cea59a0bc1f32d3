-- shape_decision: is dblock_decision ours? Gives no row; fails if a column is missing, on PostgreSQL also if
-- it is of another kind, on MySQL if it has no primary key.
SELECT id, state, parts, history, since
FROM dblock_decision /*M! FORCE INDEX (PRIMARY) */ /*!80000 FORCE INDEX (PRIMARY) */
WHERE false
  AND length(id) + length(history) = 0
  AND state + parts + since = 0
