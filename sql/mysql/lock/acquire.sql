-- acquire: take the lock if it is free; a row with its fencing token, or none if it is not.
-- $1 name  $2 nonce  $3 own session  $4 host  $5 pid  $6 thread  $7 lease us or NULL
-- $8 minimum hold us or NULL  $9 value or NULL
-- $10 not 0: also if others wait in the queue  $11 nonce of a grant of ours that it replaces, or 0
-- $12 own session's last beat: an older copy of the database does not have it
-- Free means: released; or its lease has ended; or its holder's session is dead, which is for good. But
-- if rows of dblock_queue may hold it (mode is not 0) nothing is done: see hand_over.
-- First the usual case: the name is known. (Such an update is planned in half the time.) LAST_INSERT_ID()
-- returns the token; if it is called and nothing is changed, the name is known and the lock not free.
-- (Inside IF() it is called first: otherwise MySQL evaluates mode before it.) Assignments run from left
-- to right and see new values.
UPDATE dblock_lock
   SET acquired = CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED),
       token = LAST_INSERT_ID(GREATEST(token + 1, acquired)), nonce = $2,
       session = IF($7 IS NULL, $3, NULL),
       host = $4, pid = $5, thread = $6, reentry = 1,
       lease = $7, expires = acquired + $7, keep_until = acquired + $8, value = $9
 WHERE name = $1
   AND IF(LAST_INSERT_ID(token) > 0,
          (NOT queued OR $10 <> 0)
          AND mode = 0
          AND ((session IS NULL AND expires IS NULL)
               OR nonce = NULLIF($11, 0)
               OR expires <= CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED)
               OR EXISTS (SELECT 1 FROM dblock_session d WHERE d.id = dblock_lock.session AND d.dead)),
          FALSE)
   AND EXISTS (SELECT 1 FROM dblock_session me WHERE me.id = $3 AND NOT me.dead AND me.beat >= $12)
-- else
-- acquire: else: also for a name that is not known yet. Assignments run from left to right and see new
-- values: the nonce comes first and decides, and those after it check whether it has become ours. 0 rows
-- changed: not free. The token comes back through LAST_INSERT_ID. The floor is locked, so that no name is
-- purged between reading it and the insert.
INSERT INTO dblock_lock
  (name, token, nonce, session, host, pid, thread, reentry,
   lease, expires, keep_until, acquired, value)
SELECT $1, LAST_INSERT_ID(GREATEST(COALESCE((SELECT f.token FROM dblock_floor f WHERE f.id = 1 LOCK IN SHARE MODE), 0) + 1, c.now)),
       $2, IF($7 IS NULL, $3, NULL), $4, $5, $6, 1,
       $7, c.now + $7, c.now + $8, c.now, $9
  FROM (SELECT CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED) AS now) c
 WHERE EXISTS (SELECT 1 FROM dblock_session me WHERE me.id = $3 AND NOT me.dead AND me.beat >= $12)
ON DUPLICATE KEY UPDATE
  nonce = IF((NOT dblock_lock.queued OR $10 <> 0)
             AND dblock_lock.mode = 0
             AND ((dblock_lock.session IS NULL AND dblock_lock.expires IS NULL)
                  OR dblock_lock.nonce = NULLIF($11, 0)
                  OR dblock_lock.expires <= CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED)
                  OR EXISTS (SELECT 1 FROM dblock_session d
                              WHERE d.id = dblock_lock.session AND d.dead)),
             $2, dblock_lock.nonce),
  token = IF(dblock_lock.nonce = $2,
             LAST_INSERT_ID(GREATEST(dblock_lock.token + 1, CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED))), dblock_lock.token),
  session = IF(dblock_lock.nonce = $2, IF($7 IS NULL, $3, NULL), dblock_lock.session),
  host = IF(dblock_lock.nonce = $2, $4, dblock_lock.host),
  pid = IF(dblock_lock.nonce = $2, $5, dblock_lock.pid),
  thread = IF(dblock_lock.nonce = $2, $6, dblock_lock.thread),
  reentry = IF(dblock_lock.nonce = $2, 1, dblock_lock.reentry),
  lease = IF(dblock_lock.nonce = $2, $7, dblock_lock.lease),
  expires = IF(dblock_lock.nonce = $2, CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED) + $7, dblock_lock.expires),
  keep_until = IF(dblock_lock.nonce = $2, CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED) + $8, dblock_lock.keep_until),
  acquired = IF(dblock_lock.nonce = $2, CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED), dblock_lock.acquired),
  value = IF(dblock_lock.nonce = $2, $9, dblock_lock.value)
