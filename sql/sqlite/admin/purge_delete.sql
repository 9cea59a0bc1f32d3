-- purge_delete: delete a page of free names that have not been used for a while, in one statement, if
-- their tokens are not above the floor. Names of which a row of a waiter is left are skipped: without
-- `served` it would look as if it still waited.
-- $1 unused for so many us  $2 at most so many  $3 the floor  $4, $5 names after the first, up to the second
DELETE FROM dblock_lock
 WHERE name IN (SELECT l.name
                  FROM dblock_lock l
                 WHERE l.name > $4 AND l.name <= $5
                   AND l.session IS NULL AND l.expires IS NULL AND NOT l.queued AND l.capacity IS NULL
                   AND NOT EXISTS (SELECT 1 FROM dblock_queue w WHERE w.name = l.name)
                   AND l.acquired <= $wall - $1 AND l.released <= $wall - $1 AND l.token <= $3
                 ORDER BY l.name
                 LIMIT $2)
