-- purge_lock: from here to the end of the transaction no acquire reads the floor, and none that has
-- read it is under way: so none adds a deleted name with an old floor.
INSERT INTO dblock_floor (id, token) VALUES (1, 0) ON DUPLICATE KEY UPDATE token = token
