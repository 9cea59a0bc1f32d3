-- reap_revocations: forget what was taken away, where the grant is over and no session is left to be told.
DELETE FROM dblock_revocation
 WHERE NOT EXISTS (SELECT 1 FROM dblock_session s WHERE s.id = dblock_revocation.session AND NOT s.dead)
   AND NOT EXISTS (SELECT 1 FROM dblock_lock l
                WHERE l.name = dblock_revocation.name AND l.nonce <> 0 AND (l.token = dblock_revocation.token OR l.nonce = dblock_revocation.nonce)
                  AND (l.session IS NOT NULL OR l.expires IS NOT NULL))
   AND NOT EXISTS (SELECT 1 FROM dblock_queue q
                    WHERE q.name = dblock_revocation.name AND q.token IS NOT NULL AND q.nonce <> 0
                      AND (q.token = dblock_revocation.token OR q.nonce = dblock_revocation.nonce))
