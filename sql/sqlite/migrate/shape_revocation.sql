-- shape_revocation: is dblock_revocation ours? Gives no row; fails if a column is missing.
SELECT session, name, token, nonce, cause, by_host, by_pid, by_app, since, told
FROM dblock_revocation
WHERE session IS NULL
