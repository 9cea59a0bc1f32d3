-- branch_abandon: roll back one that is not prepared.
ROLLBACK
