-- quorum_forgets: a file is no member of a cluster.
SELECT ''
