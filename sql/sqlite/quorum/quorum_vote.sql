-- quorum_vote: a file is on one machine, and no member of a cluster: there is no row.
-- $1 name  $2 nonce  $3 own session  $4 host  $5 pid  $6 thread  $7 lease us or NULL
-- $8 minimum hold us or NULL  $9 value or NULL
-- $10 not 0: also if others wait in the queue  $11 nonce of a grant of ours that it replaces, or 0
-- $12 own session's last beat  $13 proposed token  $14 the cluster's random number  $15 its epoch
SELECT token FROM dblock_lock
 WHERE false AND $1 || $3 || $4 || $9 || $14 = '' AND $2 + $5 + $6 + $7 + $8 + $10 + $11 + $12 + $13 + $15 = 0
