-- reap_once: delete the marks of slots that were done long ago.
-- $1 so many us  $2 at most so many
DELETE FROM dblock_once
 WHERE (name, slot) IN (SELECT name, slot
                          FROM dblock_once
                         WHERE marked <= $wall - $1
                         ORDER BY marked
                         LIMIT $2)
