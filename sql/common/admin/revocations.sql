-- revocations: what is being taken away from a session, by whom and when; `over`: that grant is over.
-- Leases of its process are here, too, whichever session they are written for: it may be an earlier
-- session of the same client, or another client's.
-- $1 session
SELECT v.name, v.token, v.nonce, v.cause, v.by_host, v.by_pid, v.by_app, v.since,
       CASE WHEN v.session = $1 THEN v.told ELSE 0 END AS told,
       (NOT EXISTS (SELECT 1 FROM dblock_lock l
                     WHERE l.name = v.name AND l.nonce <> 0 AND (l.token = v.token OR l.nonce = v.nonce)
                       AND (l.session IS NOT NULL OR l.expires IS NOT NULL))
        AND NOT EXISTS (SELECT 1 FROM dblock_queue q
                         WHERE q.name = v.name AND q.token IS NOT NULL AND q.nonce <> 0
                           AND (q.token = v.token OR q.nonce = v.nonce))) AS is_over
  FROM dblock_revocation v
 WHERE v.session = $1
    OR (NOT EXISTS (SELECT 1 FROM dblock_revocation o
                     WHERE o.session = $1 AND o.name = v.name AND o.token = v.token)
        AND (EXISTS (SELECT 1 FROM dblock_session me
                       JOIN dblock_lock l ON l.host = me.host AND l.pid = me.pid
                      WHERE me.id = $1 AND l.name = v.name AND l.expires IS NOT NULL
                        AND (l.token = v.token OR l.nonce = v.nonce))
             OR EXISTS (SELECT 1 FROM dblock_session me
                          JOIN dblock_queue q ON q.host = me.host AND q.pid = me.pid
                         WHERE me.id = $1 AND q.name = v.name AND q.expires IS NOT NULL
                           AND q.token IS NOT NULL AND (q.token = v.token OR q.nonce = v.nonce))))
 ORDER BY v.name, v.token
