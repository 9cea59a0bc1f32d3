-- settle: what was committed before is as durable as this connection's commits are: a row is written
-- that is as it was in the end. (What is not changed at all SQLite does not write.)
UPDATE dblock_floor SET token = token - 1 WHERE id = 1
-- and
-- settle: and back
UPDATE dblock_floor SET token = token + 1 WHERE id = 1
