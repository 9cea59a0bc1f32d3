-- row_end: end a row's grant that was seen unchanged for its whole length, or that is broken.
-- $1 name  $2 token  $3 expires as seen, or NULL
-- for the event: $4 kind  $5 host  $6 pid  $7 app of who does it
WITH q AS (
  DELETE FROM dblock_queue
   WHERE name = $1::text AND token = $2::bigint
     AND (expires = $3::bigint OR (expires IS NULL AND $3::bigint IS NULL))
  RETURNING name, token, host, pid, session)
INSERT INTO dblock_event
  (at, kind, name, token, host, pid, app, session, by_host, by_pid, by_app, detail)
SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint, $4::smallint, q.name, q.token, q.host, q.pid,
       coalesce((SELECT s.app FROM dblock_session s WHERE s.id = q.session), ''), q.session,
       $5::text, $6::bigint, $7::text, ''
  FROM q
