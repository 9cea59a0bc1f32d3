-- purge_delete: forget a free name; before the commit the floor is raised to its token.
-- Not while a row is left of somebody who has waited: without `served` it would look as if he still did.
-- $1 name  $2 token
DELETE FROM dblock_lock
 WHERE name = $1 AND token = $2 AND session IS NULL AND expires IS NULL AND NOT queued
   AND NOT EXISTS (SELECT 1 FROM dblock_queue w WHERE w.name = dblock_lock.name)
