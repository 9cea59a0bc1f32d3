-- decision_forget: it is committed everywhere.
-- $1 id
DELETE FROM dblock_decision WHERE id = $1 AND state = 1
