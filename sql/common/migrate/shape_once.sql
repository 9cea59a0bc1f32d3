-- shape_once: is dblock_once ours? Gives no row; fails if a column is missing, on PostgreSQL also if
-- it is of another kind, on MySQL if it has no primary key.
SELECT name, slot, token, host, pid, marked
FROM dblock_once /*M! FORCE INDEX (PRIMARY) */ /*!80000 FORCE INDEX (PRIMARY) */
WHERE false
  AND length(name) + length(slot) + length(host) = 0
  AND token + pid + marked = 0
