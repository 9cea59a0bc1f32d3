-- tx_guard: set a savepoint in the caller's open transaction, to undo what fails after it.
SAVEPOINT guard_of_dblock
