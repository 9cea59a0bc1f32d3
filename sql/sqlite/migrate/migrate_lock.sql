-- migrate_lock: ask for the right to migrate, without waiting. 1: this connection has it until it
-- ends. There is nothing to ask for: BEGIN IMMEDIATE lets one writer into the file.
SELECT 1 WHERE $1 = $1 AND $2 = $2
