-- purge_lock: nothing: who adds a name has the whole file, from the reading of the floor to his commit.
SELECT 1
