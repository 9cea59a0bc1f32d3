-- purge_floor: no name that is not known gets a token of this or less.
-- $1 token
INSERT INTO dblock_floor AS f (id, token) VALUES (1, $1::bigint)
ON CONFLICT (id) DO UPDATE SET token = greatest(f.token, excluded.token)
