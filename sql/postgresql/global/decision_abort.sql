-- decision_abort: it is not committed, unless it was. Whoever would commit it later fails by this row.
-- $1 id  $2 this database's history
INSERT INTO dblock_decision (id, state, parts, history, since)
VALUES ($1::text, 2, 0, $2::text, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint)
ON CONFLICT (id) DO NOTHING
