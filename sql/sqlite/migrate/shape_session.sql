-- shape_session: is dblock_session ours? Gives no row; fails if a column is missing.
SELECT id, clock, host, pid, app, ttl, opened, expires, beat, dead, ended
FROM dblock_session
WHERE id IS NULL
