-- revoked: does a grant stand that is being taken away, by its token or its nonce? A row if so: have all
-- been told who are to be; for how long it is to be watched before somebody else may free it (see look);
-- is it over: its session is dead, or its lease has ended.
-- $1 name  $2 token  $3 nonce
SELECT r.token, (SELECT min(t.told)::int FROM dblock_revocation t
                  WHERE t.name = r.name AND (t.token = r.token OR t.nonce = r.nonce)) AS told,
       (SELECT CASE WHEN r.expires IS NULL
                       OR min(CASE WHEN v.told <> 0 OR coalesce(vs.dead, true) THEN 1 ELSE 0 END) = 1
                     THEN max(coalesce(vs.ttl, (SELECT max(a.ttl) FROM dblock_session a))) END
          FROM dblock_revocation v
          LEFT JOIN dblock_session vs ON vs.id = v.session
         WHERE v.name = r.name AND (v.token = r.token OR v.nonce = r.nonce)) AS watch,
       CASE WHEN r.expires <= (extract(epoch FROM clock_timestamp()) * 1000000)::bigint THEN 1
            WHEN r.expires IS NULL
                 AND EXISTS (SELECT 1 FROM dblock_session d WHERE d.id = r.session AND d.dead) THEN 1
            ELSE 0 END AS is_over
  FROM (SELECT l.name, l.token, l.nonce, l.session, l.expires
          FROM dblock_lock l
         WHERE l.name = $1::text AND l.nonce <> 0 AND (l.token = $2::bigint OR l.nonce = $3::bigint)
           AND (l.session IS NOT NULL OR l.expires IS NOT NULL)
        UNION ALL
        SELECT q.name, q.token, q.nonce, q.session, q.expires
          FROM dblock_queue q
         WHERE q.name = $1::text AND q.token IS NOT NULL AND q.nonce <> 0
           AND (q.token = $2::bigint OR q.nonce = $3::bigint)) r
