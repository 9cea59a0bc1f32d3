-- shape_flight: is dblock_flight ours? Gives no row; fails if a column is missing, on PostgreSQL also if
-- it is of another kind, on MySQL if it has no primary key.
SELECT name, token, made, took, expires, coded, value
FROM dblock_flight /*M! FORCE INDEX (PRIMARY) */ /*!80000 FORCE INDEX (PRIMARY) */
WHERE false
  AND length(name) + length(value) = 0
  AND token + made + took + expires + coded = 0
