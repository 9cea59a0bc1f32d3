-- shape_request: is dblock_request ours? Gives no row; fails if a column is missing or of another kind.
SELECT host, pid, name, token, reason, by_host, by_pid, by_app, since
FROM dblock_request
WHERE false
  AND octet_length(host) + octet_length(name) + octet_length(reason)
      + octet_length(by_host) + octet_length(by_app) = 0
  AND pid + token + by_pid + since = 0
