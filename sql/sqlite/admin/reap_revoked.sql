-- reap_revoked: a page, in order of name and token, of grants that are held and being taken away; and how
-- long each must be watched before it may be freed (see look). Then what it is noted as: its nonce and
-- the time of its revocation (one that a crash has lost, and that is made again, is another); since when
-- the watcher has seen it, by its own clock; and how long ago it noted that.
-- $1 $2 only after this name and token  $3 at most so many  $4 watcher
SELECT g.name, g.token, g.nonce,
       (SELECT CASE WHEN g.expires IS NULL
                       OR (coalesce(min(CASE WHEN v.told <> 0 OR coalesce(vs.dead, true) THEN 1 ELSE 0 END), 0) = 1
                           AND NOT EXISTS (SELECT 1 FROM dblock_session p
                                            WHERE p.host = g.host AND p.pid = g.pid AND NOT p.dead AND p.protocol > 0
                                              AND NOT EXISTS (SELECT 1 FROM dblock_revocation pv
                                                               WHERE pv.session = p.id AND pv.name = g.name
                                                                 AND (pv.token = g.token OR pv.nonce = g.nonce))))
                     THEN max(coalesce(vs.ttl, (SELECT max(a.ttl) FROM dblock_session a))) END
          FROM dblock_revocation v
          LEFT JOIN dblock_session vs ON vs.id = v.session
         WHERE v.name = g.name AND (v.token = g.token OR v.nonce = g.nonce)) AS watch,
       g.noted_as, k.since, $wall - k.noted AS noted_ago
  FROM (SELECT r.name, r.token, r.nonce, r.expires, r.host, r.pid,
               printf('%016x%016x', r.nonce, max(r.since)) AS noted_as
          FROM (SELECT l.name, l.token, l.nonce, l.expires, l.host, l.pid, m.since
                  FROM dblock_revocation m
                  JOIN dblock_lock l
                    ON l.name = m.name AND l.nonce <> 0 AND (l.token = m.token OR l.nonce = m.nonce)
                   AND (l.session IS NOT NULL OR l.expires IS NOT NULL)
                UNION ALL
                SELECT q.name, q.token, q.nonce, q.expires, q.host, q.pid, m.since
                  FROM dblock_revocation m
                  JOIN dblock_queue q
                    ON q.name = m.name AND q.token IS NOT NULL AND q.nonce <> 0
                   AND (q.token = m.token OR q.nonce = m.nonce)) r
         GROUP BY r.name, r.token, r.nonce, r.expires, r.host, r.pid) g
  LEFT JOIN dblock_suspect k ON k.session = g.noted_as AND k.watcher = $4 AND k.beat = g.token
 WHERE g.name > $1 OR (g.name = $1 AND g.token > $2)
 ORDER BY g.name, g.token
 LIMIT $3
