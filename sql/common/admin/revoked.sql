-- revoked: a row if a grant is held and being taken away, by its token or its nonce: have all living
-- sessions been told that have to be; how long it must be watched before another may free it (see look);
-- is it over, since its session is dead, or its lease has ended.
-- $1 name  $2 token  $3 nonce
SELECT r.token, (SELECT coalesce(min(CASE WHEN NOT ts.dead THEN t.told END), min(t.told))
                  FROM dblock_revocation t
                  LEFT JOIN dblock_session ts ON ts.id = t.session
                 WHERE t.name = r.name AND (t.token = r.token OR t.nonce = r.nonce)) AS told,
       (SELECT CASE WHEN r.expires IS NULL
                       OR (coalesce(min(CASE WHEN v.told <> 0 OR coalesce(vs.dead, true) THEN 1 ELSE 0 END), 0) = 1
                           AND NOT EXISTS (SELECT 1 FROM dblock_session p
                                            WHERE p.host = r.host AND p.pid = r.pid AND NOT p.dead AND p.protocol > 0
                                              AND NOT EXISTS (SELECT 1 FROM dblock_revocation pv
                                                               WHERE pv.session = p.id AND pv.name = r.name
                                                                 AND (pv.token = r.token OR pv.nonce = r.nonce))))
                     THEN max(coalesce(vs.ttl, (SELECT max(a.ttl) FROM dblock_session a))) END
          FROM dblock_revocation v
          LEFT JOIN dblock_session vs ON vs.id = v.session
         WHERE v.name = r.name AND (v.token = r.token OR v.nonce = r.nonce)) AS watch,
       CASE WHEN r.ended THEN 1
            WHEN r.expires IS NULL
                 AND (SELECT d.dead FROM dblock_session d WHERE d.id = r.session) THEN 1
            ELSE 0 END AS is_over
  FROM (SELECT l.name, l.token, l.nonce, l.session, l.expires, l.host, l.pid,
               l.expires <= $boot AND l.clock = $clock AS ended
          FROM dblock_lock l
         WHERE l.name = $1 AND l.nonce <> 0 AND (l.token = $2 OR l.nonce = $3)
           AND (l.session IS NOT NULL OR l.expires IS NOT NULL)
        UNION ALL
        SELECT q.name, q.token, q.nonce, q.session, q.expires, q.host, q.pid,
               q.expires <= $boot AND q.clock = $clock
          FROM dblock_queue q
         WHERE q.name = $1 AND q.token IS NOT NULL AND q.nonce <> 0
           AND (q.token = $2 OR q.nonce = $3)) r
