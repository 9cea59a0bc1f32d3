-- batch_new: several of acquire, for callers of one client, of names that are not known yet; in one
-- commit. As acquire inserts.
-- $1 own session  $2 host  $3 pid; and lists with an element for each, as batch takes them:
-- $4 what: 1  $5 name  $6 NULL  $7 nonce  $8 thread  $9 lease us  $10 minimum hold us  $11 value
-- $12, $13: of no matter where there is no row
-- For each that was inserted: its place in the lists, from 1; 1; its token. The others are known.
WITH wanted AS MATERIALIZED (
	SELECT w.*
	  FROM unnest($4::int[], $5::text[], $6::bigint[], $7::bigint[], $8::bigint[], $9::bigint[],
	              $10::bigint[], $11::text[], $12::int[], $13::bigint[])
	       WITH ORDINALITY AS w (what, name, token, nonce, thread, lease, at_least, value, barge,
	                             replaces, at)
	 WHERE w.what = 1
), inserted AS (
	INSERT INTO dblock_lock AS l
	       (name, token, nonce, session, host, pid, thread, reentry,
	        lease, expires, keep_until, acquired, value)
	SELECT w.name, greatest((SELECT f.token FROM dblock_floor f WHERE f.id = 1) + 1, c.now), w.nonce,
	       CASE WHEN w.lease IS NULL THEN $1::text END, $2::text, $3::bigint, w.thread, 1,
	       w.lease, c.now + w.lease, c.now + w.at_least, c.now, w.value
	  FROM wanted w,
	       (SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS now) c
	 WHERE EXISTS (SELECT 1 FROM dblock_session me WHERE me.id = $1::text AND NOT me.dead)
	ON CONFLICT (name) DO NOTHING
	RETURNING l.nonce, l.token
)
SELECT w.at, 1, i.token
  FROM inserted i JOIN wanted w ON w.nonce = i.nonce
