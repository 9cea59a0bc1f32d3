-- acquire: take the lock if it is free; a row with its fencing token, or none if it is not.
-- $1 name  $2 nonce  $3 own session  $4 host  $5 pid  $6 thread  $7 lease us or NULL
-- $8 minimum hold us or NULL  $9 value or NULL
-- $10 not 0: also if others wait in the queue  $11 nonce of a grant of ours that it replaces, or 0
-- $12 own session's last beat: an older copy of the database does not have it
-- Free means: released; or its lease has ended; or its holder's session is dead, which is for good. But
-- if rows of dblock_queue may hold it (mode is not 0) nothing is done: see hand_over.
-- $boot $wall $clock: CLOCK_BOOTTIME and CLOCK_REALTIME in us, and what names the former's origin. They
-- are read before the write lock is taken: so a lease ends early, if anything.
-- First the usual case: the name is known, and its token is below the clock. Then the clock is the new
-- token, and RETURNING, for which SQLite makes temporary tables, is not needed.
-- gives $wall: the value of the one column, if a row was changed
UPDATE dblock_lock
   SET token = $wall, nonce = $2,
       session = CASE WHEN $7 IS NULL THEN $3 END,
       host = $4, pid = $5, thread = $6, reentry = 1,
       lease = $7, expires = $boot + $7, keep_until = $boot + $8,
       acquired = $wall, value = $9, clock = $clock
 WHERE name = $1 AND token < $wall
   AND (NOT queued OR $10 <> 0)
   AND mode = 0
   AND ((session IS NULL AND expires IS NULL)
        OR nonce = nullif($11, 0)
        OR (expires <= $boot AND clock = $clock)
        OR EXISTS (SELECT 1 FROM dblock_session d WHERE d.id = dblock_lock.session AND d.dead))
   AND EXISTS (SELECT 1 FROM dblock_session me WHERE me.id = $3 AND NOT me.dead AND me.beat >= $12)
-- met
-- acquire: met: is it held, or waited for? Then that is the answer, and the write lock is not needed
-- again.
SELECT 1 FROM dblock_lock
 WHERE name = $1 AND nonce IS NOT nullif($11, 0)
   AND (expires > $boot OR mode <> 0 OR (queued AND $10 = 0)
        OR (session IS NOT NULL
            AND NOT EXISTS (SELECT 1 FROM dblock_session d WHERE d.id = dblock_lock.session AND d.dead)))
-- else
-- acquire: else: also for a name that is not known yet.
INSERT INTO dblock_lock AS l
  (name, token, nonce, session, host, pid, thread, reentry,
   lease, expires, keep_until, acquired, value, clock)
SELECT $1, max(coalesce((SELECT f.token FROM dblock_floor f WHERE f.id = 1), 0) + 1, $wall), $2,
       CASE WHEN $7 IS NULL THEN $3 END, $4, $5, $6, 1,
       $7, $boot + $7, $boot + $8, $wall, $9, $clock
 WHERE EXISTS (SELECT 1 FROM dblock_session me WHERE me.id = $3 AND NOT me.dead AND me.beat >= $12)
ON CONFLICT (name) DO UPDATE
   SET token = max(l.token + 1, $wall),
       nonce = excluded.nonce,
       session = excluded.session,
       host = excluded.host,
       pid = excluded.pid,
       thread = excluded.thread,
       reentry = 1,
       lease = excluded.lease,
       expires = excluded.expires,
       keep_until = excluded.keep_until,
       acquired = excluded.acquired,
       value = excluded.value,
       clock = excluded.clock
 WHERE (NOT l.queued OR $10 <> 0)
   AND l.mode = 0
   AND ((l.session IS NULL AND l.expires IS NULL)
        OR l.nonce = nullif($11, 0)
        OR (l.expires <= $boot AND l.clock = $clock)
        OR EXISTS (SELECT 1 FROM dblock_session d WHERE d.id = l.session AND d.dead))
RETURNING token
