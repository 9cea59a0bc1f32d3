-- inbox_seen: a message has come, and is had if its transaction commits: a row with the number of the one before it from
-- its key, 0: none, and with the id of the one that is the last now. So it is new if its number is larger; it has been
-- had before if not; and of the same number, but another id: its source has begun anew.
-- $1 source  $2 key  $3 number  $4 id
-- Assignments run from left to right and see new values. The time makes it a change always.
INSERT INTO dblock_inbox (source, msg_key, number, id, prior, had_at)
VALUES ($1, $2, $3, $4, 0, CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED))
ON DUPLICATE KEY UPDATE
  prior = dblock_inbox.number,
  id = IF($3 > dblock_inbox.number, $4, dblock_inbox.id),
  number = GREATEST(dblock_inbox.number, $3),
  had_at = GREATEST(dblock_inbox.had_at + 1, CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED))
-- answer
-- inbox_seen: answer: the row is locked by now, and is read as it is, whatever the transaction has seen before.
SELECT prior, id FROM dblock_inbox WHERE source = $1 AND msg_key = $2 LOCK IN SHARE MODE
