-- release: free the lock if this grant holds it; it stays taken until its minimum hold is over. Nothing
-- is done if others wait in the queue (hand_over is for that), but for a minimum hold, which ends by
-- itself.
-- $1 name  $2 token  $3 nonce, or NULL for whoever knows the token

-- Assignments run from left to right, so keep_until comes last.
UPDATE dblock_lock
   SET session = NULL, nonce = 0, reentry = 0, value = NULL,
       released = CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED),
       lease = IF(keep_until > released, keep_until - released, NULL),
       expires = IF(keep_until > released, keep_until, NULL),
       keep_until = NULL
 WHERE name = $1 AND token = $2 AND nonce <> 0
   AND ($3 IS NULL OR nonce = $3)
   AND (session IS NOT NULL OR expires > CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED))
   AND (NOT queued OR keep_until > CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED))
