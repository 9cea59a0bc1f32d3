-- shape_revocation: is dblock_revocation ours? Gives no row; fails if a column is missing or of another kind.
SELECT session, name, token, nonce, cause, by_host, by_pid, by_app, since, told
FROM dblock_revocation
WHERE false
  AND octet_length(session) + octet_length(name) + octet_length(by_host) + octet_length(by_app) = 0
  AND token + nonce + cause + by_pid + since + told = 0
