-- doctor_update: may this user change rows of our tables?
UPDATE dblock_lock SET reentry = 0 WHERE 1 = 0
-- step
UPDATE dblock_session SET beat = 0 WHERE 1 = 0
-- step
UPDATE dblock_queue SET reentry = 0 WHERE 1 = 0
-- step
UPDATE dblock_request SET since = 0 WHERE 1 = 0
-- step
UPDATE dblock_flight SET took = 0 WHERE 1 = 0
-- step
UPDATE dblock_revocation SET told = 0 WHERE 1 = 0
