-- quorum_forget: this database is to take a member's place: what it was in the cluster before is over, and so are
-- its votes. Nothing is done if it votes under a later epoch.
-- $1 the cluster's random number  $2 the epoch that is closed
DELETE FROM dblock_quorum WHERE id = 1 AND identity = $1 AND epoch <= $2
