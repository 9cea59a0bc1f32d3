-- schema_hold: from here to the end of the transaction nobody takes a lock, or is granted one: a name
-- that is not known waits for the floor, one that is known for its row. So whether somebody holds one
-- can be asked, and stays true. Heartbeats go on.
INSERT INTO dblock_floor (id, token) VALUES (1, 0) ON DUPLICATE KEY UPDATE token = token
-- step
UPDATE dblock_lock SET token = token
