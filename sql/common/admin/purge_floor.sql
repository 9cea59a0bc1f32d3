-- purge_floor: no name that is not known gets a token of this or less.
-- $1 token
INSERT INTO dblock_floor (id, token) VALUES (1, $1)
ON CONFLICT (id) DO UPDATE SET token = excluded.token WHERE dblock_floor.token < excluded.token
