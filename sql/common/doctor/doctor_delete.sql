-- doctor_delete: may this user delete rows that an application deletes?
DELETE FROM dblock_session WHERE 1 = 0
-- step
DELETE FROM dblock_queue WHERE 1 = 0
-- step
DELETE FROM dblock_request WHERE 1 = 0
-- step
DELETE FROM dblock_revocation WHERE 1 = 0
