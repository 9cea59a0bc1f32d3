-- purge_delete: forget a free name; before the commit the floor is raised to its token.
-- $1 name  $2 token
DELETE FROM dblock_lock
 WHERE name = $1 AND token = $2 AND session IS NULL AND expires IS NULL AND NOT queued
