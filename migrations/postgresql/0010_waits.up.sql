-- For people: who waits in line for which lock, and since when.
--   place    1 is next; NULL: it does not count any more, for its session is dead or missing
--   mode     exclusive, shared, update, or permits: weight of capacity
--   seconds  that it has waited
--   alive    false: its client stopped its heartbeat a ttl ago, and is passed over
CREATE OR REPLACE VIEW dblock_waits AS
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
       w.value,
       CASE w.mode WHEN 1 THEN 'shared' WHEN 2 THEN 'update' WHEN 3 THEN 'permits' ELSE 'exclusive' END AS mode,
       w.weight, w.capacity
FROM dblock_queue AS w
LEFT JOIN dblock_lock AS l ON l.name = w.name
LEFT JOIN dblock_session AS s ON s.id = w.session
WHERE w.ticket > coalesce(l.served, 0) AND w.token IS NULL;
