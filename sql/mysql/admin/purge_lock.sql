-- purge_lock: nothing: who inserts a name has the floor's row locked, from reading it to the commit, and
-- raising the floor has waited for that.
DO 0
