-- shape_session: is dblock_session ours? Gives no row; fails if a column is missing or of another
-- kind, or if id is not the primary key (only then may the others be selected beside it).
SELECT id, '' AS clock, host, pid, app, ttl, opened, expires, beat, dead, ended
FROM dblock_session
WHERE false AND NOT dead
  AND octet_length(id) + octet_length(host) + octet_length(app) = 0
  AND pid + ttl + opened + expires + beat + ended = 0
GROUP BY id
