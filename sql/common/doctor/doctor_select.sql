-- doctor_select: may this user read our tables?
SELECT version FROM dblock_migration WHERE 1 = 0
-- step
SELECT token FROM dblock_floor WHERE 1 = 0
-- step
SELECT token FROM dblock_lock WHERE 1 = 0
-- step
SELECT beat FROM dblock_session WHERE 1 = 0
-- step
SELECT ticket FROM dblock_queue WHERE 1 = 0
-- step
SELECT token FROM dblock_once WHERE 1 = 0
-- step
SELECT token FROM dblock_request WHERE 1 = 0
-- step
SELECT token FROM dblock_flight WHERE 1 = 0
-- step
SELECT token FROM dblock_revocation WHERE 1 = 0
-- step
SELECT beat FROM dblock_suspect WHERE 1 = 0
-- step
SELECT n FROM dblock_history WHERE 1 = 0
-- step
SELECT id FROM dblock_event WHERE 1 = 0
