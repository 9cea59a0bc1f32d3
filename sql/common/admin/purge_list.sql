-- purge_list: of a page of free names that have not been used for a while, their number and the largest
-- of their tokens; only tokens below the clock, so that such a name, inserted again, gets a larger one.
-- $1 unused for so many us  $2 at most so many
SELECT count(*), coalesce(max(p.token), 0)
  FROM (SELECT l.token
          FROM dblock_lock l
         WHERE l.session IS NULL AND l.expires IS NULL AND NOT l.queued
           AND NOT EXISTS (SELECT 1 FROM dblock_queue w WHERE w.name = l.name)
           AND l.acquired <= $wall - $1 AND l.released <= $wall - $1 AND l.token < $wall
         ORDER BY l.name
         LIMIT $2) p
