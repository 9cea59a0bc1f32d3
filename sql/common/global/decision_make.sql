-- decision_make: in the home's own transaction, as its last statement: all of it is committed, if this is.
-- $1 id  $2 the number of branches  $3 this database's history
INSERT INTO dblock_decision (id, state, parts, history, since) VALUES ($1, 1, $2, $3, $wall)
