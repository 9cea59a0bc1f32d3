-- decision_abort: it is not committed, unless it was. Whoever would commit it later fails by this row.
-- $1 id  $2 this database's history
INSERT INTO dblock_decision (id, state, parts, history, since)
VALUES ($1, 2, 0, $2, CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED))
ON DUPLICATE KEY UPDATE state = dblock_decision.state
