-- reap_latches: delete latches and barriers that have not changed for long, and that nobody waits at.
-- $1 so many us  $2 at most so many
DELETE FROM dblock_latch
 WHERE name IN (SELECT x.name
                  FROM dblock_latch x
                 WHERE x.since <= $wall - $1
                   AND NOT EXISTS (SELECT 1 FROM dblock_queue q WHERE q.name = x.name)
                 ORDER BY x.since
                 LIMIT $2)
