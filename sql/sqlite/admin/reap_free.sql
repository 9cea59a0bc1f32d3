-- reap_free: free the locks of a range of names whose holders' sessions are dead, or whose leases have
-- ended, if nobody waits for them, in one statement.
-- $1 names from this one  $2 up to this one
UPDATE dblock_lock
   SET session = NULL, nonce = 0, reentry = 0, value = NULL, keep_until = NULL, lease = NULL,
       expires = NULL, released = $wall
 WHERE name >= $1 AND name <= $2 AND NOT queued
   AND ((expires <= $boot AND clock = $clock)
        OR EXISTS (SELECT 1 FROM dblock_session d WHERE d.id = dblock_lock.session AND d.dead))
