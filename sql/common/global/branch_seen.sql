-- branch_seen: has the branch committed? A row: yes.
-- $1 its name
SELECT since FROM dblock_branch WHERE xid = $1
