-- migrate_role: take back whom a user's file has become. There are no users.
SELECT 1
