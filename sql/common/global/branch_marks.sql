-- branch_marks: a page of those that have committed.
-- $1 behind this one  $2 at most so many
SELECT xid, since FROM dblock_branch WHERE xid > $1 ORDER BY xid LIMIT $2
