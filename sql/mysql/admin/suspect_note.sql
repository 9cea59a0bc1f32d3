-- suspect_note: note with which beat a session was seen that looks dead, and since when by the watcher's
-- clock.
-- $1 session  $2 watcher  $3 beat  $4 since
INSERT INTO dblock_suspect (session, watcher, beat, since, noted)
VALUES ($1, $2, $3, $4, CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED))
ON DUPLICATE KEY UPDATE
  beat = $3, since = $4, noted = CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED)
