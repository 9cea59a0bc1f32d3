-- quorum_vote: a member's vote for one who wants to hold a lock on a majority: as acquire, but the token is what
-- the caller proposes, or larger, and the member has to vote under that epoch.
-- $1 name  $2 nonce  $3 own session  $4 host  $5 pid  $6 thread  $7 lease us or NULL
-- $8 minimum hold us or NULL  $9 value or NULL
-- $10 not 0: also if others wait in the queue  $11 nonce of a grant of ours that it replaces, or 0
-- $12 own session's last beat: an older copy of the database does not have it
-- $13 proposed token  $14 the cluster's random number  $15 its epoch
-- The membership is read with a lock, FOR SHARE: a plain read sees it as it was when the statement began, and
-- would vote under an epoch that has been closed meanwhile. No clock has part in the token, so members agree
-- on it though their clocks do not. Each token is above that of dblock_floor, a known name's too: the database may
-- have taken a member's place, with names from before.
INSERT INTO dblock_lock AS l
  (name, token, nonce, session, host, pid, thread, reentry,
   lease, expires, keep_until, acquired, value)
SELECT $1::text, greatest((SELECT f.token FROM dblock_floor f WHERE f.id = 1) + 1, $13::bigint), $2::bigint,
       CASE WHEN $7::bigint IS NULL THEN $3::text END, $4::text, $5::bigint, $6::bigint, 1,
       $7::bigint, c.now + $7::bigint, c.now + $8::bigint, c.now, $9::text
  FROM (SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS now) c,
       (SELECT q.id FROM dblock_quorum q
         WHERE q.id = 1 AND q.identity = $14::text AND q.epoch = $15::bigint AND q.state = 1
           FOR SHARE) v
 WHERE EXISTS (SELECT 1 FROM dblock_session me WHERE me.id = $3::text AND NOT me.dead AND me.beat >= $12::bigint)
ON CONFLICT (name) DO UPDATE
   SET token = greatest(l.token + 1, excluded.token),
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
