-- branch_abandon: never sent: a file has no branches.
SELECT 0
