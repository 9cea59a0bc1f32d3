-- branch_rollback: never sent: a file has no branches.
SELECT 0
