-- branch_mark: in the branch: who sees this knows that it has committed.
-- $1 its name
INSERT INTO dblock_branch (xid, since) VALUES ($1, $wall)
