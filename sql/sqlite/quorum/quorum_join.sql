-- quorum_join: a file is on one machine, and no member of a cluster: nothing is done.
-- $1 cluster  $2 its random number  $3 epoch  $4 members  $5 number of this one
-- $6 state  $7 its newest history  $8 the members' histories  $9 max_ttl us
INSERT INTO dblock_quorum (id, cluster, identity, epoch, members, number, state, history, roster, max_ttl)
SELECT 1, $1, $2, $3, $4, $5, $6, $7, $8, $9
 WHERE false
