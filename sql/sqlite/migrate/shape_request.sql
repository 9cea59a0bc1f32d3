-- shape_request: is dblock_request ours? Gives no row; fails if a column is missing.
SELECT host, pid, name, token, reason, by_host, by_pid, by_app, since
FROM dblock_request
WHERE host IS NULL
