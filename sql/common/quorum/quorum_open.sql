-- quorum_open: from now on this member votes, as all have been made members.
-- $1 the cluster's random number  $2 epoch  $3 the members' histories
UPDATE dblock_quorum SET state = 1, roster = $3
 WHERE id = 1 AND identity = $1 AND epoch = $2 AND state = 0
