-- row_end: end a row's grant that was seen unchanged for its whole length, or that is broken; first the event
-- of it, which locks the row on MySQL.
-- $1 name  $2 token  $3 expires as seen, or NULL
-- for the event: $4 kind  $5 host  $6 pid  $7 app of who does it
INSERT INTO dblock_event
  (at, kind, name, token, host, pid, app, session, by_host, by_pid, by_app, detail)
SELECT $wall, $4, q.name, q.token, q.host, q.pid,
       coalesce((SELECT s.app FROM dblock_session s WHERE s.id = q.session), ''), q.session,
       $5, $6, $7, ''
  FROM dblock_queue q
 WHERE q.name = $1 AND q.token = $2 AND (q.expires = $3 OR (q.expires IS NULL AND $3 IS NULL))
 /*M! FOR UPDATE */ /*!80000 FOR UPDATE */
-- and
-- row_end: and the grant
DELETE FROM dblock_queue
 WHERE name = $1 AND token = $2 AND (expires = $3 OR (expires IS NULL AND $3 IS NULL))
