-- reap_revocations: a page of the revocations whose grant is over, and that no session is left to be told
-- of.
-- $1 at most so many
SELECT m.session, m.name, m.token
  FROM dblock_revocation m
 WHERE NOT EXISTS (SELECT 1 FROM dblock_session s WHERE s.id = m.session AND NOT s.dead)
   AND NOT EXISTS (SELECT 1 FROM dblock_lock l
                WHERE l.name = m.name AND l.nonce <> 0 AND (l.token = m.token OR l.nonce = m.nonce)
                  AND (l.session IS NOT NULL OR l.expires IS NOT NULL))
   AND NOT EXISTS (SELECT 1 FROM dblock_queue q
                    WHERE q.name = m.name AND q.token IS NOT NULL AND q.nonce <> 0
                      AND (q.token = m.token OR q.nonce = m.nonce))
 LIMIT $1
