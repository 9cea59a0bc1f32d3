-- quorum_leave: this database is not to be a member, since others could not be made members. It has never voted.
-- $1 the cluster's random number
DELETE FROM dblock_quorum WHERE id = 1 AND identity = $1 AND state = 0
