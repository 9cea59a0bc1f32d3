-- decision_read: what was decided: 1: to commit, 2: not to; and how many branches there are. No row: nothing yet.
-- $1 id
SELECT state, parts FROM dblock_decision WHERE id = $1
