-- purge_lock: nothing: who inserts a name has the whole file, from reading the floor to the commit.
SELECT 1
