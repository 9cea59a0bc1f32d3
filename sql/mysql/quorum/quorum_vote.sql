-- quorum_vote: a member's vote for one who wants to hold a lock on a majority: as acquire, but the token is what
-- the caller proposes, or larger, and the member has to vote under that epoch.
-- $1 name  $2 nonce  $3 own session  $4 host  $5 pid  $6 thread  $7 lease us or NULL
-- $8 minimum hold us or NULL  $9 value or NULL
-- $10 not 0: also if others wait in the queue  $11 nonce of a grant of ours that it replaces, or 0
-- $12 own session's last beat: an older copy of the database does not have it
-- $13 proposed token  $14 the cluster's random number  $15 its epoch
-- The membership is read with a lock, IN SHARE MODE: a plain read sees it as it was when the statement began, and
-- would vote under an epoch that has been closed meanwhile. No clock has part in the token, so members agree
-- on it though their clocks do not. Each token is above that of dblock_floor, a known name's too: the database may
-- have taken a member's place, with names from before. The rest is as in acquire: see there.
UPDATE dblock_lock
   SET acquired = CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED),
       token = LAST_INSERT_ID(GREATEST(token + 1, $13, COALESCE(
                 (SELECT f.token FROM dblock_floor f WHERE f.id = 1 LOCK IN SHARE MODE), 0) + 1)),
       nonce = $2,
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
   AND EXISTS (SELECT 1 FROM dblock_quorum q
                WHERE q.id = 1 AND q.identity = $14 AND q.epoch = $15 AND q.state = 1
                 LOCK IN SHARE MODE)
-- else
-- quorum_vote: else: also for a name that is not known yet.
INSERT INTO dblock_lock
  (name, token, nonce, session, host, pid, thread, reentry,
   lease, expires, keep_until, acquired, value)
SELECT $1, LAST_INSERT_ID(GREATEST(COALESCE((SELECT f.token FROM dblock_floor f WHERE f.id = 1 LOCK IN SHARE MODE), 0) + 1, $13)),
       $2, IF($7 IS NULL, $3, NULL), $4, $5, $6, 1,
       $7, c.now + $7, c.now + $8, c.now, $9
  FROM (SELECT CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED) AS now) c
 WHERE EXISTS (SELECT 1 FROM dblock_session me WHERE me.id = $3 AND NOT me.dead AND me.beat >= $12)
   AND EXISTS (SELECT 1 FROM dblock_quorum q
                WHERE q.id = 1 AND q.identity = $14 AND q.epoch = $15 AND q.state = 1
                 LOCK IN SHARE MODE)
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
             LAST_INSERT_ID(GREATEST(dblock_lock.token + 1, $13, COALESCE(
                (SELECT f.token FROM dblock_floor f WHERE f.id = 1 LOCK IN SHARE MODE), 0) + 1)),
             dblock_lock.token),
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
