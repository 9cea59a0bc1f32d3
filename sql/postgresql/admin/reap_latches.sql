-- reap_latches: delete latches and barriers that have not changed for long, and that nobody waits at. (That would not be
-- lost: who waits sees that it is gone.)
-- $1 so many us  $2 at most so many
DELETE FROM dblock_latch l
 USING (SELECT x.name
          FROM dblock_latch x
         WHERE x.since <= (extract(epoch FROM clock_timestamp()) * 1000000)::bigint - $1::bigint
           AND NOT EXISTS (SELECT 1 FROM dblock_queue q WHERE q.name = x.name)
         ORDER BY x.since
         LIMIT $2::bigint) old
 WHERE l.name = old.name AND l.since <= (extract(epoch FROM clock_timestamp()) * 1000000)::bigint - $1::bigint
