-- shape_flight: is dblock_flight ours? Gives no row; fails if a column is missing.
SELECT name, token, made, took, expires, coded, value
FROM dblock_flight
WHERE name IS NULL
