-- shape_event: is dblock_event ours? Gives no row; fails if a column is missing, on PostgreSQL also if
-- it is of another kind, on MySQL if it has no primary key.
SELECT id, at, kind, name, token, host, pid, app, session, by_host, by_pid, by_app, detail
FROM dblock_event /*M! FORCE INDEX (PRIMARY) */ /*!80000 FORCE INDEX (PRIMARY) */
WHERE false
  AND length(name) + length(host) + length(app) + length(session) = 0
  AND length(by_host) + length(by_app) + length(detail) = 0
  AND id + at + kind + token + pid + by_pid = 0
