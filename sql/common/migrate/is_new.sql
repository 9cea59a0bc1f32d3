-- is_new: 0, as a server's database is never filled without being asked.
SELECT 0
