-- resize: store how many permits a semaphore has, and say that who was read is not to be granted it as if there
-- were as many as before. An older copy finds another number, and changes nothing.
-- $1 name  $2 capacity  $3 as seen, or NULL
UPDATE dblock_lock
   SET capacity = $2, queue_version = queue_version + 1
 WHERE name = $1 AND (capacity = $3 OR (capacity IS NULL AND $3 IS NULL))
