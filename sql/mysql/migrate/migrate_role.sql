-- migrate_role: take back whom a user's file has become. Roles change no rights of ours here.
SELECT 1
