-- shape_request: is dblock_request ours? Gives no row; fails if a column is missing, or the primary key.
SELECT host, pid, name, token, reason, by_host, by_pid, by_app, since
FROM dblock_request FORCE INDEX (PRIMARY)
WHERE host IS NULL
