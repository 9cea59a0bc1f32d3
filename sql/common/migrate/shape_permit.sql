-- shape_permit: is dblock_permit ours? Gives no row; fails if a column is missing, on PostgreSQL also if
-- it is of another kind, on MySQL if it has no primary key.
SELECT name, number, nonce
FROM dblock_permit /*M! FORCE INDEX (PRIMARY) */ /*!80000 FORCE INDEX (PRIMARY) */
WHERE false
  AND length(name) = 0
  AND number + nonce = 0
