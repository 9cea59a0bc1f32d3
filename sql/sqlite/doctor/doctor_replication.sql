-- doctor_replication: a file has no replicas.
SELECT '', NULL WHERE 0
