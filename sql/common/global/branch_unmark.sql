-- branch_unmark: its transaction is over everywhere.
-- $1 its name
DELETE FROM dblock_branch WHERE xid = $1
