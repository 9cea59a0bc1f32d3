-- history_extend: begin another history; only the first who does so with this number succeeds.
-- $1 number, one more than the last  $2 id  $3 what names the server
INSERT IGNORE INTO dblock_history (n, id, facts, since)
VALUES ($1, $2, $3, CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED))
