-- For people: the locks that are held now, who holds them, since when and until when (UTC).
--   held_by  session: as long as its client beats; lease: until its own end;
--            rest: released, but kept taken until its minimum hold is over
--   mode     exclusive, shared, update, or permits: weight of capacity
--   expires  when it ends unless it is renewed; past: the client stopped, and may be buried
CREATE OR REPLACE SQL SECURITY INVOKER VIEW dblock_held AS
SELECT CONVERT(l.name USING utf8mb4) AS name,
       l.token,
       CASE WHEN l.session IS NOT NULL THEN 'session'
            WHEN l.nonce <> 0 THEN 'lease'
            ELSE 'rest' END AS held_by,
       l.host,
       l.pid,
       l.thread,
       s.app,
       TIMESTAMP('1970-01-01') + INTERVAL l.acquired MICROSECOND AS acquired,
       TIMESTAMP('1970-01-01') + INTERVAL
           CASE WHEN l.session IS NOT NULL THEN s.expires
                ELSE l.expires END MICROSECOND AS expires,
       l.value,
       'exclusive' AS mode,
       1 AS weight,
       NULL AS capacity
FROM dblock_lock AS l
LEFT JOIN dblock_session AS s ON s.id = l.session
WHERE CASE WHEN l.session IS NOT NULL THEN NOT COALESCE(s.dead, FALSE)
           ELSE COALESCE(l.expires, 0)
                > CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED) END
UNION ALL
SELECT CONVERT(q.name USING utf8mb4) AS name,
       q.token,
       CASE WHEN q.expires IS NULL THEN 'session'
            WHEN q.nonce <> 0 THEN 'lease'
            ELSE 'rest' END AS held_by,
       q.host,
       q.pid,
       q.thread,
       s.app,
       TIMESTAMP('1970-01-01') + INTERVAL q.acquired MICROSECOND AS acquired,
       TIMESTAMP('1970-01-01') + INTERVAL
           CASE WHEN q.expires IS NULL THEN s.expires
                ELSE q.expires END MICROSECOND AS expires,
       q.value,
       CASE q.mode WHEN 1 THEN 'shared' WHEN 2 THEN 'update' WHEN 3 THEN 'permits' ELSE 'exclusive' END,
       q.weight,
       q.capacity
FROM dblock_queue AS q
LEFT JOIN dblock_session AS s ON s.id = q.session
WHERE q.token IS NOT NULL
  AND (CASE WHEN q.expires IS NULL THEN NOT COALESCE(s.dead, FALSE)
           ELSE COALESCE(q.expires, 0)
                > CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED) END);
