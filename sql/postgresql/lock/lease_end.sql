-- lease_end: free a lease that a waiter has seen unchanged for its whole length.
-- $1 name  $2 token  $3 nonce  $4 expires, as seen
-- for the event: $5 host  $6 pid  $7 app of who does it
WITH l AS (
  UPDATE dblock_lock
     SET session = NULL, nonce = 0, reentry = 0, value = NULL, keep_until = NULL, lease = NULL,
         expires = NULL, released = (extract(epoch FROM clock_timestamp()) * 1000000)::bigint
   WHERE name = $1::text AND token = $2::bigint AND nonce = $3::bigint AND expires = $4::bigint
  RETURNING name, token, host, pid, released)
INSERT INTO dblock_event
  (at, kind, name, token, host, pid, app, session, by_host, by_pid, by_app, detail)
SELECT l.released, 4, l.name, l.token, l.host, l.pid, '', '', $5::text, $6::bigint, $7::text, ''
  FROM l
