-- shape_floor: is dblock_floor ours? Gives no row; fails if a column is missing, or the primary
-- key.
SELECT id, token
FROM dblock_floor FORCE INDEX (PRIMARY)
WHERE id IS NULL
