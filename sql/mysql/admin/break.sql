-- break: take the lock away from the grant with this token; a row with the new token, which is larger. By
-- its nonce the grant is found even if its token has grown since (src/lock/cache/local.h).
-- $1 name  $2 token  $3 nonce, or 0: go by the token only
-- for the event: $4 kind  $5 host  $6 pid  $7 app of who does it  $8 detail
UPDATE dblock_lock
   SET token = LAST_INSERT_ID(GREATEST(token + 1, CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED))),
       session = NULL, nonce = 0, reentry = 0, value = NULL, keep_until = NULL, lease = NULL,
       expires = NULL, released = CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED)
 WHERE name = $1 AND (token = $2 OR nonce = nullif($3, 0))
   AND (session IS NOT NULL OR expires IS NOT NULL)
-- also
-- break: also the event of it; who had it last is left in the row, until somebody else has it
INSERT INTO dblock_event
  (at, kind, name, token, host, pid, app, session, by_host, by_pid, by_app, detail)
SELECT CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED), $4, $1, $2, coalesce(l.host, ''), coalesce(l.pid, 0), '', '', $5, $6, $7, $8
  FROM (SELECT 1 AS one) d LEFT JOIN dblock_lock l ON l.name = $1 AND l.nonce = 0
