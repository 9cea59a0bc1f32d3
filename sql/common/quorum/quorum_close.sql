-- quorum_close: a member is being replaced: the epoch is over at this one, which gives no vote until the next one
-- begins. Nothing is done if it is not as it was seen.
-- $1 the cluster's random number  $2 epoch as seen  $3 state as seen  $4 the members' histories as seen
-- $5 the epoch that is over, which this member may have been behind  $6 the members' histories as they are to be
UPDATE dblock_quorum SET state = 2, epoch = $5, roster = $6
 WHERE id = 1 AND identity = $1 AND epoch = $2 AND state = $3 AND roster = $4
