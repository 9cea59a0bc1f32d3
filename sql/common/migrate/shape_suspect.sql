-- shape_suspect: is dblock_suspect ours? Gives no row; fails if a column is missing, on PostgreSQL also if
-- it is of another kind, on MySQL if it has no primary key.
SELECT session, watcher, beat, since, noted
FROM dblock_suspect /*M! FORCE INDEX (PRIMARY) */ /*!80000 FORCE INDEX (PRIMARY) */
WHERE false
  AND length(session) + length(watcher) = 0
  AND beat + since + noted = 0
