-- purge_floor: raise the floor, so that a new name gets a token above this one.
-- $1 token
INSERT INTO dblock_floor (id, token) VALUES (1, $1)
ON CONFLICT (id) DO UPDATE SET token = excluded.token WHERE dblock_floor.token < excluded.token
