-- acquire: take the lock if it is free; a row with its fencing token, or none if it is not.
-- $1 name  $2 nonce  $3 own session  $4 host  $5 pid  $6 thread  $7 lease us or NULL
-- $8 minimum hold us or NULL  $9 value or NULL
-- $10 not 0: also if others wait in the queue  $11 nonce of a grant of ours that it replaces, or 0
-- $12 own session's last beat: an older copy of the database does not have it
-- Free means: released; or its lease has ended; or its holder's session is dead, which is for good. But
-- if rows of dblock_queue may hold it (mode is not 0) nothing is done: see hand_over. The clock is read
-- again in DO UPDATE, as that may have waited for the row. (EXISTS would be as right for the holder's session,
-- but PostgreSQL 18 may read all sessions for it, though enable_seqscan is off.)
INSERT INTO dblock_lock AS l
  (name, token, nonce, session, host, pid, thread, reentry,
   lease, expires, keep_until, acquired, value)
SELECT $1::text, greatest((SELECT f.token FROM dblock_floor f WHERE f.id = 1) + 1, c.now), $2::bigint,
       CASE WHEN $7::bigint IS NULL THEN $3::text END, $4::text, $5::bigint, $6::bigint, 1,
       $7::bigint, c.now + $7::bigint, c.now + $8::bigint, c.now, $9::text
  FROM (SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS now) c
 WHERE EXISTS (SELECT 1 FROM dblock_session me WHERE me.id = $3::text AND NOT me.dead AND me.beat >= $12::bigint)
ON CONFLICT (name) DO UPDATE
   SET token = greatest(l.token + 1, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint),
       nonce = excluded.nonce,
       session = excluded.session,
       host = excluded.host,
       pid = excluded.pid,
       thread = excluded.thread,
       reentry = 1,
       lease = excluded.lease,
       expires = (extract(epoch FROM clock_timestamp()) * 1000000)::bigint + $7::bigint,
       keep_until = (extract(epoch FROM clock_timestamp()) * 1000000)::bigint + $8::bigint,
       acquired = (extract(epoch FROM clock_timestamp()) * 1000000)::bigint,
       value = excluded.value
 WHERE (NOT l.queued OR $10::int <> 0)
   AND l.mode = 0
   AND ((l.session IS NULL AND l.expires IS NULL)
        OR l.nonce = nullif($11::bigint, 0)
        OR l.expires <= (extract(epoch FROM clock_timestamp()) * 1000000)::bigint
        OR (SELECT d.dead FROM dblock_session d WHERE d.id = l.session))
RETURNING l.token
