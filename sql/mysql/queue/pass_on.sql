-- pass_on: end a grant that came through the queue, and give the lock to the first in it: the usual case of
-- hand_over, for half of its cost. A row with the new token, its nonce and its address, and whether two
-- others wait behind it. None: nobody waits, or somebody with a priority, or the first is not to have the lock
-- alone, or somebody has left: hand_over.
-- $1 name  $2 token  $3 nonce  $4 ticket by which this grant came: the last one that was served
-- Others may wait behind the first, so `queued` says that they do: hand_over finds if that is not so.
-- (STRAIGHT_JOIN: it would begin with the sessions, if they are few, and sort all waiters. Above w.ticket alone
-- MariaDB would look among all rows of the name, as that is another row's.)
SELECT w.nonce, w.bell,
       (SELECT a.ticket FROM dblock_queue a
         WHERE a.name = $1 AND a.ticket > w.ticket AND a.ticket > $4
           AND a.token IS NULL AND a.upgrades IS NULL
         ORDER BY a.ticket LIMIT 1 OFFSET 1) IS NOT NULL,
       x.queue_version, w.ticket, w.session, s.host, s.pid, w.thread, w.lease, w.at_least, w.value,
       w.mode, w.names, w.priority
  FROM dblock_lock x
  STRAIGHT_JOIN dblock_queue w
  STRAIGHT_JOIN dblock_session s ON s.id = w.session
 WHERE x.name = $1 AND w.name = $1 AND w.ticket > $4 AND w.token IS NULL AND w.upgrades IS NULL
   AND NOT s.dead AND s.expires > CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED)
 ORDER BY w.ticket LIMIT 1
-- then
-- pass_on: then the lock's row; as read: $5 nonce  $6 address  $7 do two others wait  $8 queue_version: if
-- nobody has left since, the first is still there  $9 ticket  $10 session  $11 host  $12 pid  $13 thread
-- $14 lease  $15 minimum hold  $16 value  $17 mode  $18 names  $19 priority
-- Assignments run from left to right and see new values. The time is that of the write: a lease that were
-- counted from the read would end before its holder knows. The token comes back through LAST_INSERT_ID.
UPDATE dblock_lock
   SET acquired = CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED),
       token = LAST_INSERT_ID(GREATEST(token + 1, acquired)),
       nonce = $5,
       session = IF($14 IS NULL, $10, NULL),
       host = $11,
       pid = $12,
       thread = $13,
       reentry = 1,
       lease = $14,
       expires = acquired + $14,
       keep_until = acquired + $15,
       value = $16,
       served = $9,
       queued = TRUE,
       mode = 0
 WHERE name = $1 AND token = $2 AND nonce = $3 AND served = $4
   AND queue_version % 65536 = $8 % 65536
   AND $17 = 0 AND $18 = 1 AND $19 = 0 AND NOT ranked
   AND (session IS NOT NULL OR expires > CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED))
   AND COALESCE(keep_until <= CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED), TRUE)
