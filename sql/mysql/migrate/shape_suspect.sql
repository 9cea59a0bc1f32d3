-- shape_suspect: is dblock_suspect ours? Gives no row; fails if a column is missing, or the primary key.
SELECT session, watcher, beat, since, noted
FROM dblock_suspect FORCE INDEX (PRIMARY)
WHERE session IS NULL
