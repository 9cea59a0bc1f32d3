-- shape_once: is dblock_once ours? Gives no row; fails if a column is missing.
SELECT name, slot, token, host, pid, marked
FROM dblock_once
WHERE name IS NULL
