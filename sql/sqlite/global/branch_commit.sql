-- branch_commit: never sent: a file has no branches.
SELECT 0
