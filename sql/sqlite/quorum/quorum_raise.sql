-- quorum_raise: a file is on one machine, and no member of a cluster: there is no row.
-- $1 name  $2 nonce  $3 token  $4 the cluster's random number  $5 its epoch
SELECT token FROM dblock_lock WHERE false AND $1 = $4 AND $2 = $3 AND $5 = 0
