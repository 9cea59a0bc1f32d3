-- doctor_replication: no rows, as doctor_facts has them.
SELECT '', '' LIMIT 0
