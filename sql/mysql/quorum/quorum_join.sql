-- quorum_join: this database is to be a member of a cluster; it does not vote yet. Nothing is done if it is one
-- of any cluster already.
-- $1 cluster  $2 its random number  $3 members  $4 number of this one  $5 its newest history
-- $6 max_ttl us
INSERT INTO dblock_quorum (id, cluster, identity, epoch, members, number, state, history, roster, max_ttl)
VALUES (1, $1, $2, 1, $3, $4, 0, $5, '', $6)
ON DUPLICATE KEY UPDATE id = dblock_quorum.id
