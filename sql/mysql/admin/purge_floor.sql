-- purge_floor: no name that is not known gets a token of this or less. It waits for those who have read what
-- the floor was and are adding a name; in no transaction of ours: nobody waits for what it locks but while it runs.
-- $1 token
INSERT INTO dblock_floor (id, token) VALUES (1, $1)
ON DUPLICATE KEY UPDATE token = GREATEST(token, $1)
