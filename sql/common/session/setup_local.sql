-- setup_local: never sent, as nobody looks for a pooler before this database.
SELECT 1
