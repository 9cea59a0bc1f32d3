-- shape_floor: is dblock_floor ours? Gives no row; fails if a column is missing, on MySQL also if it has no
-- primary key.
SELECT id, token
FROM dblock_floor /*M! FORCE INDEX (PRIMARY) */ /*!80000 FORCE INDEX (PRIMARY) */
WHERE id IS NULL
