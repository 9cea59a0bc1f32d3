-- tx_guard: inside somebody's open transaction: whatever fails from here on, it can be as it was.
SAVEPOINT guard_of_dblock
