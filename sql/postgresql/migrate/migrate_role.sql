-- migrate_role: undo a user's file's SET ROLE, as the history is written with our own rights.
RESET SESSION AUTHORIZATION
-- step
RESET ROLE
