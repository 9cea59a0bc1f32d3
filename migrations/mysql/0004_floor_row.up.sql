-- The floor under all fencing tokens: no name was deleted yet.
INSERT INTO dblock_floor (id, token) VALUES (1, 0) ON DUPLICATE KEY UPDATE token = token;
