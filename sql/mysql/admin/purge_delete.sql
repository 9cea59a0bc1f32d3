-- purge_delete: delete a page of free names that have not been used for a while, in one statement, if
-- their tokens are not above the floor. Rows that somebody has locked are skipped; so are names of which
-- a row of a waiter is left: without `served` it would look as if it still waited.
-- $1 unused for so many us  $2 at most so many  $3 the floor  $4, $5 names after the first, up to the second
DELETE l
  FROM (SELECT f.name
          FROM dblock_lock f
         WHERE f.name > $4 AND f.name <= $5
           AND f.session IS NULL AND f.expires IS NULL AND NOT f.queued AND f.capacity IS NULL
           AND NOT EXISTS (SELECT 1 FROM dblock_queue w WHERE w.name = f.name)
           AND greatest(f.acquired, f.released) <= CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED) - $1
           AND f.token <= $3
         ORDER BY f.name
         LIMIT $2
           FOR UPDATE SKIP LOCKED) p
STRAIGHT_JOIN dblock_lock l FORCE INDEX (PRIMARY) ON l.name = p.name
