-- history_first: the first history of the database, by which it is known whatever becomes of it.
SELECT id FROM dblock_history WHERE n = 1
