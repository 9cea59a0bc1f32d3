-- shape_floor: is dblock_floor ours? Gives no row; fails if a column is missing.
SELECT id, token
FROM dblock_floor
WHERE id IS NULL
