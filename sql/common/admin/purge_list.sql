-- purge_list: of a page of free names that have not been used for a while, their number, the largest of
-- their tokens, and the last of them; only tokens below the clock, so that such a name, inserted again,
-- gets a larger one.
-- $1 unused for so many us  $2 at most so many  $3 only names after this one
SELECT count(*), coalesce(max(p.token), 0), max(p.name)
  FROM (SELECT l.name, l.token
          FROM dblock_lock l
         WHERE l.name > $3 AND l.session IS NULL AND l.expires IS NULL AND NOT l.queued AND l.capacity IS NULL
           AND NOT EXISTS (SELECT 1 FROM dblock_queue w WHERE w.name = l.name)
           AND l.acquired <= $wall - $1 AND l.released <= $wall - $1 AND l.token < $wall
         ORDER BY l.name
         LIMIT $2) p
