-- release_in: in the caller's transaction: free the lock if this grant holds it; it stays taken until its
-- minimum hold is over. The queue is not looked at: whoever finds a free lock with a queue advances the
-- queue first, and so does the client after the commit. The answer: 2 if somebody may wait, else 1.
-- $1 name  $2 token  $3 nonce
-- Assignments run from left to right, so keep_until comes last.
UPDATE dblock_lock
   SET session = NULL, nonce = 0, reentry = 0 * LAST_INSERT_ID(1 + queued), value = NULL,
       released = CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED),
       lease = IF(keep_until > released, keep_until - released, NULL),
       expires = IF(keep_until > released, keep_until, NULL),
       keep_until = NULL
 WHERE name = $1 AND token = $2 AND nonce = $3
