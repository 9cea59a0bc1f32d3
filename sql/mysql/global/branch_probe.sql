-- branch_probe: the branch is as it was; but where it has written a table that cannot be rolled back, the server says so.
SAVEPOINT dblock_probe
-- step
ROLLBACK TO SAVEPOINT dblock_probe
