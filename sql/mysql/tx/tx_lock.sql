-- tx_lock: in the caller's transaction, and until its end, have the lock, which was seen free (see
-- acquire_in). Its row stays locked, but names no holder: when others can read it, there is none any
-- more. Only the token is left.
-- $1 name
-- As seen: $2 token  $3 nonce  $4 session or NULL
-- Assignments run from left to right and see new values. The token comes back through LAST_INSERT_ID.
UPDATE dblock_lock
   SET acquired = CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED),
       token = LAST_INSERT_ID(GREATEST(token + 1, acquired)), nonce = 0, session = NULL, reentry = 0,
       lease = NULL, expires = NULL, keep_until = NULL, released = acquired, value = NULL
 WHERE name = $1 AND token = $2 AND nonce = $3
   AND mode = 0 AND NOT queued
   AND session <=> $4
   AND (expires IS NULL OR expires <= CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED))
