-- settle: make all commits before it as durable as this connection's: a row is changed and changed back.
-- (SQLite does not write a page that has not changed.)
UPDATE dblock_floor SET token = token - 1 WHERE id = 1
-- and
-- settle: and change it back
UPDATE dblock_floor SET token = token + 1 WHERE id = 1
