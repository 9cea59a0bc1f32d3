-- For people: the locks that are held now, who holds them, since when and until when.
--   held_by  session: as long as its client beats; lease: until its own end;
--            rest: released, but kept taken until its minimum hold is over
--   expires  when it ends unless it is renewed; past: the client stopped, and may be buried
CREATE OR REPLACE VIEW dblock_holders AS
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
       l.value
FROM dblock_lock AS l
LEFT JOIN dblock_session AS s ON s.id = l.session
WHERE CASE WHEN l.session IS NOT NULL THEN NOT coalesce(s.dead, false)
           ELSE l.expires
                > (extract(epoch from clock_timestamp()) * 1000000)::bigint END;
-- For people: who waits in line for which lock, and since when.
--   place    1 is next; NULL: it does not count any more, for its session is dead or missing
--   seconds  that it has waited
--   alive    false: its client stopped its heartbeat a ttl ago, and is passed over
CREATE OR REPLACE VIEW dblock_waiting AS
SELECT w.name,
       CASE WHEN NOT s.dead
            THEN count(CASE WHEN NOT s.dead THEN 1 END)
                 OVER (PARTITION BY w.name ORDER BY w.ticket ROWS UNBOUNDED PRECEDING) END AS place,
       s.host,
       s.pid,
       w.thread,
       s.app,
       timestamptz 'epoch' + w.since * interval '1 microsecond' AS since,
       (extract(epoch FROM clock_timestamp()) * 1000000 - w.since)::bigint / 1000000 AS seconds,
       NOT s.dead AND s.expires > extract(epoch FROM clock_timestamp()) * 1000000 AS alive,
       w.value
FROM dblock_waiter AS w
LEFT JOIN dblock_lock AS l ON l.name = w.name
LEFT JOIN dblock_session AS s ON s.id = w.session
WHERE w.ticket > coalesce(l.served, 0);
