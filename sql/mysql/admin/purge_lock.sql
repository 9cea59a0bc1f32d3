-- purge_lock: nothing: who adds a name keeps the floor's row, from its reading to his commit, and raising it
-- has waited for that.
DO 0
