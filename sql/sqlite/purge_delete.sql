-- purge_delete: forget a free name; the floor has been raised to its token before.
-- $1 name  $2 token
DELETE FROM dblock_lock
 WHERE name = $1 AND token = $2 AND session IS NULL AND expires IS NULL AND NOT queued
