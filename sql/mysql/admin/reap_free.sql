-- reap_free: free the locks of a range of names whose holders' sessions are dead, or whose leases have
-- ended, if nobody waits for them, in one statement. On MariaDB it does not wait for a row that somebody
-- has locked, but leaves all of them. MySQL has no such option in a statement: it waits as usual before
-- it leaves all.
-- $1 names from this one  $2 up to this one
/*M! SET STATEMENT innodb_lock_wait_timeout = 0 FOR */
UPDATE dblock_lock
   SET session = NULL, nonce = 0, reentry = 0, value = NULL, keep_until = NULL, lease = NULL,
       expires = NULL, released = CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED)
 WHERE name >= $1 AND name <= $2 AND NOT queued
   AND (expires <= CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED)
        OR EXISTS (SELECT 1 FROM dblock_session d WHERE d.id = dblock_lock.session AND d.dead))
