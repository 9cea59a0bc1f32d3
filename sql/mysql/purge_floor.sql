-- purge_floor: no name that is not known gets a token of this or less.
-- $1 token
INSERT INTO dblock_floor (id, token) VALUES (1, $1)
ON DUPLICATE KEY UPDATE token = GREATEST(token, $1)
