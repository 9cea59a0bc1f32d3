-- doctor_replication: doctor_facts says it all.
SELECT ''::text, NULL::text WHERE false
