-- migrate_role: undo a user's file's SET ROLE. Nothing to do: here no file can change our rights.
SELECT 1
