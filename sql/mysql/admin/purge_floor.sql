-- purge_floor: raise the floor, so that a new name gets a token above this one. It waits for those who
-- have read the floor and are inserting a name; it is no part of a transaction, so that nobody waits for
-- its lock longer than it runs.
-- $1 token
INSERT INTO dblock_floor (id, token) VALUES (1, $1)
ON DUPLICATE KEY UPDATE token = GREATEST(token, $1)
