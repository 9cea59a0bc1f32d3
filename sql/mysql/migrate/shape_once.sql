-- shape_once: is dblock_once ours? Gives no row; fails if a column is missing, or the primary key.
SELECT name, slot, token, host, pid, marked
FROM dblock_once FORCE INDEX (PRIMARY)
WHERE slot IS NULL
