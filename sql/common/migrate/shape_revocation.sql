-- shape_revocation: is dblock_revocation ours? Gives no row; fails if a column is missing, on PostgreSQL also if
-- it is of another kind, on MySQL if it has no primary key.
SELECT session, name, token, nonce, cause, by_host, by_pid, by_app, since, told
FROM dblock_revocation /*M! FORCE INDEX (PRIMARY) */ /*!80000 FORCE INDEX (PRIMARY) */
WHERE false
  AND length(session) + length(name) + length(by_host) + length(by_app) = 0
  AND token + nonce + cause + by_pid + since + told = 0
