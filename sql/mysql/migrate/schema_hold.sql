-- schema_hold: until the end of the transaction nobody takes a lock, or is granted one: a new name waits
-- for the floor, a known one for its row. So whether somebody holds one can be asked, and the answer
-- stays true. Heartbeats go on.
INSERT INTO dblock_floor (id, token) VALUES (1, 0) ON DUPLICATE KEY UPDATE token = token
-- step
UPDATE dblock_lock SET token = token
