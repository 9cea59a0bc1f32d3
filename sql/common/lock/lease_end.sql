-- lease_end: free a lease that a waiter has seen unchanged for its whole length.
-- $1 name  $2 token  $3 nonce  $4 expires, as seen
-- for the event: $5 host  $6 pid  $7 app of who does it
UPDATE dblock_lock
   SET session = NULL, nonce = 0, reentry = 0, value = NULL, keep_until = NULL, lease = NULL,
       expires = NULL, released = $wall
 WHERE name = $1 AND token = $2 AND nonce = $3 AND expires = $4
-- also
-- lease_end: also the event of it
INSERT INTO dblock_event
  (at, kind, name, token, host, pid, app, session, by_host, by_pid, by_app, detail)
SELECT $wall, 4, $1, $2, coalesce(l.host, ''), coalesce(l.pid, 0), '', '', $5, $6, $7, ''
  FROM (SELECT 1 AS one) d LEFT JOIN dblock_lock l ON l.name = $1 AND l.token = $2
