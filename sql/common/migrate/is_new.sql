-- is_new: 0: a server's database is never filled without being asked.
SELECT 0
