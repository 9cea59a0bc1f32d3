-- A floor that was raised is not forgotten as long as there are names.
DELETE FROM dblock_floor WHERE token = 0;
