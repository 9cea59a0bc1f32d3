-- reap_once: delete the marks of slots that were done long ago.
-- $1 so many us  $2 at most so many
DELETE FROM dblock_once o
 USING (SELECT x.name, x.slot
          FROM dblock_once x
         WHERE x.marked <= (extract(epoch FROM clock_timestamp()) * 1000000)::bigint - $1::bigint
         ORDER BY x.marked
         LIMIT $2::bigint) old
 WHERE o.name = old.name AND o.slot = old.slot
