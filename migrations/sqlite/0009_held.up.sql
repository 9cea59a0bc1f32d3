-- For people: the locks that are taken, who took them, and since when (UTC).
-- SQL cannot read the clock that their ends count from (the time since boot): `expires` is always
-- NULL here, and a lease that has just ended may still be listed. `dblock ls` knows.
--   held_by  session: as long as its client beats; lease: until its own end;
--            rest: released, but kept taken until its minimum hold is over
CREATE VIEW IF NOT EXISTS dblock_held AS
SELECT l.name,
       l.token,
       CASE WHEN l.session IS NOT NULL THEN 'session'
            WHEN l.nonce <> 0 THEN 'lease'
            ELSE 'rest' END AS held_by,
       l.host,
       l.pid,
       l.thread,
       s.app,
       strftime('%Y-%m-%d %H:%M:%S', l.acquired / 1000000, 'unixepoch')
           || printf('.%06d', l.acquired % 1000000) AS acquired,
       NULL AS expires,
       l.value,
       'exclusive' AS mode,
       1 AS weight,
       NULL AS capacity
FROM dblock_lock AS l
LEFT JOIN dblock_session AS s ON s.id = l.session
WHERE CASE WHEN l.session IS NOT NULL THEN NOT coalesce(s.dead, 0)
           ELSE l.expires IS NOT NULL END
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
       strftime('%Y-%m-%d %H:%M:%S', q.acquired / 1000000, 'unixepoch')
           || printf('.%06d', q.acquired % 1000000) AS acquired,
       NULL AS expires,
       q.value,
       CASE q.mode WHEN 1 THEN 'shared' WHEN 2 THEN 'update' WHEN 3 THEN 'permits' ELSE 'exclusive' END,
       q.weight,
       q.capacity
FROM dblock_queue AS q
LEFT JOIN dblock_session AS s ON s.id = q.session
WHERE q.token IS NOT NULL
  AND (CASE WHEN q.expires IS NULL THEN NOT coalesce(s.dead, 0)
           ELSE q.expires IS NOT NULL END);
