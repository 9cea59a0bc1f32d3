-- migrate_role: take back whom a user's file has become: the history is ours to write.
RESET SESSION AUTHORIZATION
-- step
RESET ROLE
