-- purge_list: free names that nobody has used for a while; only with tokens below the clock, so that
-- a name made anew gets a larger one.
-- $1 unused for so many us  $2 at most so many
SELECT name, token
  FROM dblock_lock
 WHERE session IS NULL AND expires IS NULL AND NOT queued
   AND NOT EXISTS (SELECT 1 FROM dblock_queue w WHERE w.name = dblock_lock.name)
   AND acquired <= $wall - $1 AND released <= $wall - $1 AND token < $wall
 ORDER BY name
 LIMIT $2
