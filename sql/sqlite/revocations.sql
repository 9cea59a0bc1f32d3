-- revocations: what is taken away from a session, by whom and when; `over`: that grant is over.
-- $1 session
SELECT v.name, v.token, v.nonce, v.cause, v.by_host, v.by_pid, v.by_app, v.since, v.told,
       (NOT EXISTS (SELECT 1 FROM dblock_lock l
                     WHERE l.name = v.name AND l.nonce <> 0 AND (l.token = v.token OR l.nonce = v.nonce)
                       AND (l.session IS NOT NULL OR l.expires IS NOT NULL))
        AND NOT EXISTS (SELECT 1 FROM dblock_queue q
                         WHERE q.name = v.name AND q.token IS NOT NULL AND q.nonce <> 0
                           AND (q.token = v.token OR q.nonce = v.nonce))) AS is_over
  FROM dblock_revocation v
 WHERE v.session = $1
 ORDER BY v.name, v.token
