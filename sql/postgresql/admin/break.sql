-- break: take the lock away from the grant with this token; a row with the new token, which is larger. By
-- its nonce the grant is found even if its token has grown since (src/lock/cache/local.h).
-- $1 name  $2 token  $3 nonce, or 0: go by the token only
-- for the event: $4 kind  $5 host  $6 pid  $7 app of who does it  $8 detail
WITH before AS (
  SELECT o.session, s.app
    FROM dblock_lock o LEFT JOIN dblock_session s ON s.id = o.session
   WHERE o.name = $1::text),
l AS (
  UPDATE dblock_lock l
     SET token = greatest(l.token + 1, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint),
         session = NULL, nonce = 0, reentry = 0, value = NULL, keep_until = NULL, lease = NULL,
         expires = NULL, released = (extract(epoch FROM clock_timestamp()) * 1000000)::bigint
   WHERE l.name = $1::text AND (l.token = $2::bigint OR l.nonce = nullif($3::bigint, 0))
     AND (l.session IS NOT NULL OR l.expires IS NOT NULL)
  RETURNING l.name, l.token, l.host, l.pid, l.released),
event AS (
  INSERT INTO dblock_event
    (at, kind, name, token, host, pid, app, session, by_host, by_pid, by_app, detail)
  SELECT l.released, $4::smallint, l.name, $2::bigint, l.host, l.pid, coalesce(b.app, ''),
         coalesce(b.session, ''), $5::text, $6::bigint, $7::text, $8::text
    FROM l CROSS JOIN before b)
SELECT l.token FROM l
