-- reap_free: free a lock whose holder's session was seen dead, or whose lease was seen to have ended.
-- $1 name  $2 token  $3 session or NULL  $4 expires or NULL, as seen
UPDATE dblock_lock
   SET session = NULL, nonce = 0, reentry = 0, value = NULL, keep_until = NULL, lease = NULL,
       expires = NULL, released = (extract(epoch FROM clock_timestamp()) * 1000000)::bigint
 WHERE name = $1::text AND token = $2::bigint
   AND session IS NOT DISTINCT FROM $3::text AND expires IS NOT DISTINCT FROM $4::bigint
