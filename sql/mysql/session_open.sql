-- session_open: our session's row; a row with the database's time. Sent twice, it beats, unless it
-- comes after a later beat.
-- $1 id  $2 host  $3 pid  $4 app  $5 ttl us  $6 beat

INSERT INTO dblock_session (id, host, pid, app, ttl, opened, expires, beat)
VALUES ($1, $2, $3, $4, $5, CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED), LAST_INSERT_ID(CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED)) + $5, $6)
ON DUPLICATE KEY UPDATE
  expires = IF(dead OR beat > $6, expires, LAST_INSERT_ID(CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED)) + ttl),
  beat = IF(dead OR beat > $6, beat, $6)
