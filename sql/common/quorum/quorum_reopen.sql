-- quorum_reopen: the next epoch begins at this member: a member has been replaced, and whoever holds something
-- knows, or has lost it. Nothing is done unless it is closed with these histories.
-- $1 the cluster's random number  $2 the epoch that is closed  $3 the members' histories as they were closed with
-- $4 these as they are
UPDATE dblock_quorum SET state = 1, epoch = epoch + 1, roster = $4
 WHERE id = 1 AND identity = $1 AND epoch = $2 AND state = 2 AND roster = $3
