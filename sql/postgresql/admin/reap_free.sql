-- reap_free: free the locks of a range of names whose holders' sessions are dead, or whose leases have
-- ended, if nobody waits for them, in one statement. Rows that somebody has locked are skipped.
-- $1 names from this one  $2 up to this one
UPDATE dblock_lock l
   SET session = NULL, nonce = 0, reentry = 0, value = NULL, keep_until = NULL, lease = NULL,
       expires = NULL, released = (extract(epoch FROM clock_timestamp()) * 1000000)::bigint
  FROM (SELECT x.name, x.token
          FROM dblock_lock x
         WHERE x.name >= $1::text AND x.name <= $2::text AND NOT x.queued
           AND (x.expires <= (extract(epoch FROM clock_timestamp()) * 1000000)::bigint
                OR EXISTS (SELECT 1 FROM dblock_session d WHERE d.id = x.session AND d.dead))
           FOR UPDATE OF x SKIP LOCKED) o
 WHERE l.name = o.name AND l.token = o.token
