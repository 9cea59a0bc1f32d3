-- purge_lock: that no acquire has read the floor before it is raised, and adds a deleted name with
-- it, is so anyway: who writes has the whole file. So just: that there is a floor.
INSERT INTO dblock_floor (id, token) VALUES (1, 0) ON CONFLICT (id) DO NOTHING
