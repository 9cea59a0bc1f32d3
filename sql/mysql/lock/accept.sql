-- accept: take over a grant that its holder offers, by its nonce; a row with the new token, or none if it
-- is not there any more, or being taken away, or its holder's session is dead. Sent twice, it does it once.
-- Nobody else holds the lock in between, and those who wait for it go on to wait.
-- $1 name  $2 nonce of that grant  $3 new nonce  $4 own session  $5 own session's last beat: an older copy
-- of the database does not have it  $6 host  $7 pid  $8 thread  $9 value, or NULL: as it is
-- Assignments run from left to right and see new values. The token comes back through LAST_INSERT_ID.
UPDATE dblock_lock
   SET acquired = CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED),
       token = LAST_INSERT_ID(IF(nonce = $3, token, GREATEST(token + 1, acquired))),
       nonce = $3, session = $4, host = $6, pid = $7, thread = $8, reentry = 1,
       value = COALESCE($9, value)
 WHERE name = $1 AND mode = 0
   AND ((nonce = $2
         AND EXISTS (SELECT 1 FROM dblock_session g WHERE g.id = dblock_lock.session AND NOT g.dead)
         AND NOT EXISTS (SELECT 1 FROM dblock_revocation v
                          WHERE v.name = $1 AND (v.token = dblock_lock.token OR v.nonce = $2)))
        OR (nonce = $3 AND session = $4))
   AND EXISTS (SELECT 1 FROM dblock_session me WHERE me.id = $4 AND NOT me.dead AND me.beat >= $5)
