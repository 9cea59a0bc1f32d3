-- shape_session: is dblock_session ours? Gives no row; fails if a column is missing, or the
-- primary key.
SELECT id, '' AS clock, host, pid, app, ttl, opened, expires, beat, dead, ended
FROM dblock_session FORCE INDEX (PRIMARY)
WHERE id IS NULL
