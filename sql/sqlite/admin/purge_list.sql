-- purge_list: of a page of free names that nobody has used for a while: how many they are, and the largest of
-- their tokens. Only those whose token is below the clock, so that a name made anew gets a larger one.
-- $1 unused for so many us  $2 at most so many
SELECT count(*), coalesce(max(token), 0)
  FROM (SELECT token
          FROM dblock_lock
         WHERE session IS NULL AND expires IS NULL AND NOT queued
           AND NOT EXISTS (SELECT 1 FROM dblock_queue w WHERE w.name = dblock_lock.name)
           AND acquired <= $wall - $1 AND released <= $wall - $1 AND token < $wall
         ORDER BY name
         LIMIT $2)
