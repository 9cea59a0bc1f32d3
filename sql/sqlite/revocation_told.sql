-- revocation_told: the session's client knows of it, and the grant is of no more use there.
-- $1 session  $2 name  $3 token
UPDATE dblock_revocation SET told = 1
 WHERE session = $1 AND name = $2 AND token = $3 AND told = 0
