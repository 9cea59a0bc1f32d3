-- batch: several releases and acquires, for callers of one client, in one commit.
-- $1 own session  $2 host  $3 pid  $4 the session's last beat; and lists with an element for each:
-- $5 what: 0 release, 1 acquire  $6 name  $7 token  $8 nonce  $9 thread  $10 lease us
-- $11 minimum hold us  $12 value  $13 not 0: also if others wait in the queue
-- $14 nonce of a grant of ours that it replaces, or 0
-- The conditions are those of release and acquire. The answer, for each whose row could be locked: its
-- number in the lists, from 1; is it done? its token. The others have to go alone: their name is not
-- known yet, or somebody has locked the row, for which this does not wait. Each name comes once. What is
-- locked is the latest version of a row, which is found again by its ctid: one that is younger than this
-- statement is not seen, so it is not done, as if another caller had been first. (A join of `locked` with
-- `done` would compare each with each: a quarter of all that a batch of 64 costs.)
WITH locked AS MATERIALIZED (
	SELECT w.*, k.ctid AS place
	  FROM unnest($5::int[], $6::text[], $7::bigint[], $8::bigint[], $9::bigint[], $10::bigint[],
	              $11::bigint[], $12::text[], $13::int[], $14::bigint[])
	       WITH ORDINALITY AS w (what, name, token, nonce, thread, lease, at_least, value, unfair,
	                             replaces, at)
	 CROSS JOIN LATERAL (SELECT x.ctid FROM dblock_lock x
	                      WHERE x.name = w.name FOR UPDATE SKIP LOCKED) k
), done AS (
	UPDATE dblock_lock l
	   SET token = CASE w.what WHEN 1 THEN greatest(l.token + 1, c.now) ELSE l.token END,
	       nonce = CASE w.what WHEN 1 THEN w.nonce ELSE 0 END,
	       session = CASE WHEN w.what = 1 AND w.lease IS NULL THEN $1::text END,
	       host = CASE w.what WHEN 1 THEN $2::text ELSE l.host END,
	       pid = CASE w.what WHEN 1 THEN $3::bigint ELSE l.pid END,
	       thread = CASE w.what WHEN 1 THEN w.thread ELSE l.thread END,
	       reentry = w.what,
	       lease = CASE WHEN w.what = 1 THEN w.lease
	                    WHEN l.keep_until > c.now THEN l.keep_until - c.now END,
	       expires = CASE WHEN w.what = 1 THEN c.now + w.lease
	                      WHEN l.keep_until > c.now THEN l.keep_until END,
	       keep_until = CASE w.what WHEN 1 THEN c.now + w.at_least END,
	       acquired = CASE w.what WHEN 1 THEN c.now ELSE l.acquired END,
	       released = CASE w.what WHEN 1 THEN l.released ELSE c.now END,
	       value = CASE w.what WHEN 1 THEN w.value END
	  FROM locked w,
	       (SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS now) c
	 WHERE l.ctid = w.place
	   AND CASE w.what
	       WHEN 1 THEN
	           (NOT l.queued OR w.unfair <> 0)
	           AND l.mode = 0
	           AND ((l.session IS NULL AND l.expires IS NULL)
	                OR l.nonce = nullif(w.replaces, 0)
	                OR l.expires <= c.now
	                OR (SELECT d.dead FROM dblock_session d WHERE d.id = l.session))
	           AND EXISTS (SELECT 1 FROM dblock_session me WHERE me.id = $1::text AND NOT me.dead
	                         AND me.beat >= $4::bigint)
	       ELSE
	           l.token = w.token AND l.nonce <> 0
	           AND (w.nonce IS NULL OR l.nonce = w.nonce)
	           AND (l.session IS NOT NULL OR l.expires > c.now)
	           AND (NOT l.queued OR l.keep_until > c.now)
	       END
	RETURNING w.at, l.token
)
SELECT d.at, 1, d.token
  FROM done d
UNION ALL
SELECT w.at, 0, NULL
  FROM locked w
 WHERE w.at NOT IN (SELECT d.at FROM done d)
