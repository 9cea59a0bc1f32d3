-- migrate_role: take back whom a user's file has become. Nothing, here: no file changes what we may do.
SELECT 1
