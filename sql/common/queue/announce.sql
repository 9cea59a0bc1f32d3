-- announce: say that the queue has changed. A hand-over compares the version that it has read, and reads
-- again if there is another; and from now on a release hands the lock over.
-- $1 name  $2 what to add to the version: 65536 if somebody joined; 2 if that was with a priority, so that the
-- policy alone grants from now on; else 1 (see hand_over)
UPDATE dblock_lock
   SET queued = TRUE, ranked = (ranked OR $2 = 2), queue_version = queue_version + $2
 WHERE name = $1
