-- For people: the locks that are held now, who holds them, since when and until when (UTC).
--   held_by  session: as long as its client beats; lease: until its own end;
--            rest: released, but kept taken until its minimum hold is over
--   expires  when it ends unless it is renewed; past: the client stopped, and may be buried
CREATE OR REPLACE SQL SECURITY INVOKER VIEW dblock_holders AS
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
       l.value
FROM dblock_lock AS l
LEFT JOIN dblock_session AS s ON s.id = l.session
WHERE CASE WHEN l.session IS NOT NULL THEN NOT COALESCE(s.dead, FALSE)
           ELSE COALESCE(l.expires, 0)
                > CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED) END;
-- For people: who waits in line for which lock, and since when (UTC).
--   place    1 is next; NULL: it does not count any more, for its session is dead or missing
--   seconds  that it has waited
--   alive    0: its client stopped its heartbeat a ttl ago, and is passed over
CREATE OR REPLACE SQL SECURITY INVOKER VIEW dblock_waiting AS
SELECT CONVERT(w.name USING utf8mb4) AS name,
       CASE WHEN NOT s.dead
            THEN COUNT(CASE WHEN NOT s.dead THEN 1 END)
                 OVER (PARTITION BY w.name ORDER BY w.ticket ROWS UNBOUNDED PRECEDING) END AS place,
       s.host,
       s.pid,
       w.thread,
       s.app,
       TIMESTAMP('1970-01-01') + INTERVAL w.since MICROSECOND AS since,
       (CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED) - w.since) DIV 1000000 AS seconds,
       NOT s.dead AND s.expires > CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED) AS alive,
       w.value
FROM dblock_waiter AS w
LEFT JOIN dblock_lock AS l ON l.name = w.name
LEFT JOIN dblock_session AS s ON s.id = w.session
WHERE w.ticket > COALESCE(l.served, 0);
