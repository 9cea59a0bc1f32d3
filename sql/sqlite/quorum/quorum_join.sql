-- quorum_join: a file is on one machine, and no member of a cluster: nothing is done.
-- $1 cluster  $2 its random number  $3 members  $4 number of this one  $5 its newest history
-- $6 max_ttl us
INSERT INTO dblock_quorum (id, cluster, identity, epoch, members, number, state, history, roster, max_ttl)
SELECT 1, $1, $2, 1, $3, $4, 0, $5, '', $6
 WHERE false
