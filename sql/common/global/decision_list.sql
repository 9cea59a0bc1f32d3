-- decision_list: a page of those that are committed, and were not seen to be done everywhere.
-- $1 behind this one  $2 at most so many
SELECT id, parts, since FROM dblock_decision WHERE id > $1 AND state = 1 ORDER BY id LIMIT $2
