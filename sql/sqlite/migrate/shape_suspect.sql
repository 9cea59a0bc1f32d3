-- shape_suspect: is dblock_suspect ours? Gives no row; fails if a column is missing.
SELECT session, watcher, beat, since, noted
FROM dblock_suspect
WHERE session IS NULL
