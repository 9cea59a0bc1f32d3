-- quorum_join: this database is to be a member of a cluster; it does not vote yet. Nothing is done if it is one
-- of any cluster already.
-- $1 cluster  $2 its random number  $3 epoch  $4 members  $5 number of this one
-- $6 state  $7 its newest history  $8 the members' histories  $9 max_ttl us
INSERT INTO dblock_quorum (id, cluster, identity, epoch, members, number, state, history, roster, max_ttl)
VALUES (1, $1, $2, $3, $4, $5, $6, $7, $8, $9)
ON DUPLICATE KEY UPDATE id = dblock_quorum.id
