-- release_in: in the caller's transaction: free the lock if this grant has it; until its minimum hold is
-- over it stays taken. Who waits in line is not looked at: whoever meets a free lock with a line serves
-- that first, and the client does once this is committed. The answer: 2 if somebody may wait, else 1.
-- $1 name  $2 token  $3 nonce
-- Assignments run from left to right: keep_until goes last.
UPDATE dblock_lock
   SET session = NULL, nonce = 0, reentry = 0 * LAST_INSERT_ID(1 + queued), value = NULL,
       released = CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED),
       lease = IF(keep_until > released, keep_until - released, NULL),
       expires = IF(keep_until > released, keep_until, NULL),
       keep_until = NULL
 WHERE name = $1 AND token = $2 AND nonce = $3
