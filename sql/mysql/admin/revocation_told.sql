-- revocation_told: note that the session's client knows of a revocation, and does not use the grant any
-- more. (That of a lease may be written for another session of its process: this one counts as told as
-- well.)
-- $1 session  $2 name  $3 token
INSERT INTO dblock_revocation (session, name, token, nonce, cause, by_host, by_pid, by_app, since, told)
SELECT $1, v.name, v.token, v.nonce, v.cause, v.by_host, v.by_pid, v.by_app, v.since, 1
  FROM dblock_revocation v
 WHERE v.name = $2 AND v.token = $3
 ORDER BY v.since LIMIT 1
ON DUPLICATE KEY UPDATE told = 1
