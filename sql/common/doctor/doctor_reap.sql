-- doctor_reap: may this user do what only the reaper does, and forget names?
DELETE FROM dblock_lock WHERE 1 = 0
-- step
UPDATE dblock_floor SET token = 0 WHERE 1 = 0
-- step
INSERT INTO dblock_floor (id, token)
SELECT 1, 0 FROM (SELECT 1 AS one) d WHERE 1 = 0
-- step
DELETE FROM dblock_once WHERE 1 = 0
-- step
DELETE FROM dblock_flight WHERE 1 = 0
-- step
DELETE FROM dblock_latch WHERE 1 = 0
-- step
DELETE FROM dblock_suspect WHERE 1 = 0
-- step
DELETE FROM dblock_event WHERE 1 = 0
