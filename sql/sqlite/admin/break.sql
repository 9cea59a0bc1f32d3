-- break: take the lock away from the grant with this token; a row with the new token, which is larger. By
-- its nonce the grant is found even if its token has grown since (src/lock/cache/local.h).
-- First the event of it.
-- $1 name  $2 token  $3 nonce, or 0: go by the token only
-- for the event: $4 kind  $5 host  $6 pid  $7 app of who does it  $8 detail
INSERT INTO dblock_event
  (at, kind, name, token, host, pid, app, session, by_host, by_pid, by_app, detail)
SELECT $wall, $4, l.name, l.token, l.host, l.pid,
       coalesce((SELECT s.app FROM dblock_session s WHERE s.id = l.session), ''),
       coalesce(l.session, ''), $5, $6, $7, $8
  FROM dblock_lock l
 WHERE l.name = $1 AND (l.token = $2 OR l.nonce = nullif($3, 0))
   AND (l.session IS NOT NULL OR l.expires IS NOT NULL)
-- and
-- break: and the grant
UPDATE dblock_lock
   SET token = max(token + 1, $wall),
       session = NULL, nonce = 0, reentry = 0, value = NULL, keep_until = NULL, lease = NULL,
       expires = NULL, released = $wall
 WHERE name = $1 AND (token = $2 OR nonce = nullif($3, 0))
   AND (session IS NOT NULL OR expires IS NOT NULL)
RETURNING token
