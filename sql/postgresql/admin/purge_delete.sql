-- purge_delete: delete a page of free names that have not been used for a while, in one statement, if
-- their tokens are not above the floor. Rows that somebody has locked are skipped; so are names of which
-- a row of a waiter is left: without `served` it would look as if it still waited.
-- $1 unused for so many us  $2 at most so many  $3 the floor  $4, $5 names after the first, up to the second
DELETE FROM dblock_lock
 WHERE name = ANY (ARRAY(SELECT l.name
                           FROM dblock_lock l
                          WHERE l.name > $4 AND l.name <= $5
                            AND l.session IS NULL AND l.expires IS NULL AND NOT l.queued AND l.capacity IS NULL
                            AND NOT EXISTS (SELECT 1 FROM dblock_queue w WHERE w.name = l.name)
                            AND greatest(l.acquired, l.released) <= (extract(epoch FROM clock_timestamp()) * 1000000)::bigint - $1::bigint
                            AND l.token <= $3::bigint
                          ORDER BY l.name
                          LIMIT $2::bigint
                            FOR UPDATE SKIP LOCKED))
