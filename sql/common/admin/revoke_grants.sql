-- revoke_grants: the grants that hold a lock, with a row for each session that has to be told if one is
-- taken away: its own session; for a lease, which may outlive its session, each session of its process
-- that is not dead. session is NULL if there is none to tell. `over`: its session is dead, or its lease
-- has ended. (nonce 0: the rest of a minimum hold, whose holder has gone.)
-- $1 name
SELECT r.token, r.nonce, r.leased, r.is_over, r.session,
       (s.id IS NOT NULL) AS living, coalesce(s.protocol, 1) AS protocol, r.host, r.pid
  FROM (SELECT l.token, l.nonce, 0 AS leased, l.session, l.host, l.pid,
               CASE WHEN (SELECT d.dead FROM dblock_session d WHERE d.id = l.session) THEN 1 ELSE 0 END AS is_over
          FROM dblock_lock l
         WHERE l.name = $1 AND l.session IS NOT NULL
        UNION ALL
        SELECT l.token, l.nonce, 1, p.id, l.host, l.pid,
               CASE WHEN l.expires <= $boot AND l.clock = $clock THEN 1 ELSE 0 END
          FROM dblock_lock l
          LEFT JOIN dblock_session p ON p.host = l.host AND p.pid = l.pid AND NOT p.dead
         WHERE l.name = $1 AND l.expires IS NOT NULL
        UNION ALL
        SELECT q.token, q.nonce, CASE WHEN q.expires IS NULL THEN 0 ELSE 1 END, CASE WHEN q.expires IS NULL THEN q.session ELSE p.id END, q.host, q.pid,
               CASE WHEN q.expires <= $boot AND q.clock = $clock THEN 1
                    WHEN q.expires IS NULL
                         AND (SELECT d.dead FROM dblock_session d WHERE d.id = q.session) THEN 1
                    ELSE 0 END
          FROM dblock_queue q
          LEFT JOIN dblock_session p
            ON q.expires IS NOT NULL AND p.host = q.host AND p.pid = q.pid AND NOT p.dead
         WHERE q.name = $1 AND q.token IS NOT NULL) r
  LEFT JOIN dblock_session s ON s.id = r.session AND NOT s.dead
 ORDER BY r.token
