-- shape_flight: is dblock_flight ours? Gives no row; fails if a column is missing, or the primary key.
SELECT name, token, made, took, expires, coded, value
FROM dblock_flight FORCE INDEX (PRIMARY)
WHERE name IS NULL
