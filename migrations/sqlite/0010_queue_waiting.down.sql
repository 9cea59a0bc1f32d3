DROP VIEW IF EXISTS dblock_waiting;
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
