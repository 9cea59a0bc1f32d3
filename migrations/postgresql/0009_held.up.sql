-- For people: the locks that are held now, who holds them, since when and until when.
--   held_by  session: as long as its client beats; lease: until its own end;
--            rest: released, but kept taken until its minimum hold is over
--   mode     exclusive, shared, update, or permits: weight of capacity
--   expires  when it ends unless it is renewed; past: the client stopped, and may be buried
CREATE OR REPLACE VIEW dblock_held AS
SELECT l.name,
       l.token,
       CASE WHEN l.session IS NOT NULL THEN 'session'
            WHEN l.nonce <> 0 THEN 'lease'
            ELSE 'rest' END AS held_by,
       l.host,
       l.pid,
       l.thread,
       s.app,
       timestamptz 'epoch' + l.acquired * interval '1 microsecond' AS acquired,
       timestamptz 'epoch' + CASE WHEN l.session IS NOT NULL THEN s.expires
                                  ELSE l.expires END
                             * interval '1 microsecond' AS expires,
       l.value,
       'exclusive' AS mode,
       1::bigint AS weight,
       NULL::bigint AS capacity
FROM dblock_lock AS l
LEFT JOIN dblock_session AS s ON s.id = l.session
WHERE CASE WHEN l.session IS NOT NULL THEN NOT coalesce(s.dead, false)
           ELSE l.expires
                > (extract(epoch from clock_timestamp()) * 1000000)::bigint END
UNION ALL
SELECT q.name,
       q.token,
       CASE WHEN q.expires IS NULL THEN 'session'
            WHEN q.nonce <> 0 THEN 'lease'
            ELSE 'rest' END AS held_by,
       q.host,
       q.pid,
       q.thread,
       s.app,
       timestamptz 'epoch' + q.acquired * interval '1 microsecond' AS acquired,
       timestamptz 'epoch' + CASE WHEN q.expires IS NULL THEN s.expires
                                  ELSE q.expires END
                             * interval '1 microsecond' AS expires,
       q.value,
       CASE q.mode WHEN 1 THEN 'shared' WHEN 2 THEN 'update' WHEN 3 THEN 'permits' ELSE 'exclusive' END,
       q.weight,
       q.capacity
FROM dblock_queue AS q
LEFT JOIN dblock_session AS s ON s.id = q.session
WHERE q.token IS NOT NULL
  AND (CASE WHEN q.expires IS NULL THEN NOT coalesce(s.dead, false)
           ELSE q.expires
                > (extract(epoch from clock_timestamp()) * 1000000)::bigint END);
