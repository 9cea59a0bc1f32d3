-- shape_suspect: is dblock_suspect ours? Gives no row; fails if a column is missing or of another kind.
SELECT session, watcher, beat, since, noted
FROM dblock_suspect
WHERE false
  AND octet_length(session) + octet_length(watcher) = 0
  AND beat + since + noted = 0
