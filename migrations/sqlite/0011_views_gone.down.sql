-- For people: the locks that are taken, who took them, and since when (UTC).
-- SQL cannot read the clock that their ends count from (the time since boot): `expires` is always
-- NULL here, and a lease that has just ended may still be listed. `dblock ls` knows.
--   held_by  session: as long as its client beats; lease: until its own end;
--            rest: released, but kept taken until its minimum hold is over
CREATE VIEW IF NOT EXISTS dblock_holders AS
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
       l.value
FROM dblock_lock AS l
LEFT JOIN dblock_session AS s ON s.id = l.session
WHERE CASE WHEN l.session IS NOT NULL THEN NOT coalesce(s.dead, 0)
           ELSE l.expires IS NOT NULL END;
-- For people: who waits in line for which lock, and since when (UTC).
--   place    1 is next; NULL: it does not count any more, for its session is dead or missing
--   seconds  that it has waited
CREATE VIEW IF NOT EXISTS dblock_waiting AS
SELECT w.name,
       CASE WHEN NOT s.dead
            THEN count(CASE WHEN NOT s.dead THEN 1 END)
                 OVER (PARTITION BY w.name ORDER BY w.ticket ROWS UNBOUNDED PRECEDING) END AS place,
       s.host,
       s.pid,
       w.thread,
       s.app,
       strftime('%Y-%m-%d %H:%M:%S', w.since / 1000000, 'unixepoch')
           || printf('.%06d', w.since % 1000000) AS since,
       CAST(strftime('%s', 'now') AS INTEGER) - w.since / 1000000 AS seconds,
       w.value
FROM dblock_waiter AS w
LEFT JOIN dblock_lock AS l ON l.name = w.name
LEFT JOIN dblock_session AS s ON s.id = w.session
WHERE w.ticket > coalesce(l.served, 0);
