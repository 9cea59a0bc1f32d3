-- shape_history: is dblock_history ours? Gives no row; fails if a column is missing, on MySQL also if it has no
-- primary key.
SELECT n, id, facts, since
FROM dblock_history /*M! FORCE INDEX (PRIMARY) */ /*!80000 FORCE INDEX (PRIMARY) */
WHERE n IS NULL
