-- doctor_replication: doctor_facts says it all.
SELECT '', '' LIMIT 0
