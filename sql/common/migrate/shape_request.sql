-- shape_request: is dblock_request ours? Gives no row; fails if a column is missing, on PostgreSQL also if
-- it is of another kind, on MySQL if it has no primary key.
SELECT host, pid, name, token, reason, by_host, by_pid, by_app, since
FROM dblock_request /*M! FORCE INDEX (PRIMARY) */ /*!80000 FORCE INDEX (PRIMARY) */
WHERE false
  AND length(host) + length(name) + length(reason)
      + length(by_host) + length(by_app) = 0
  AND pid + token + by_pid + since = 0
