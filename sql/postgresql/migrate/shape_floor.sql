-- shape_floor: is dblock_floor ours? Gives no row; fails if a column is missing or of another
-- kind, or if id is not the primary key (only then may the other be selected beside it).
SELECT id, token
FROM dblock_floor
WHERE false AND id + token = 0
GROUP BY id
