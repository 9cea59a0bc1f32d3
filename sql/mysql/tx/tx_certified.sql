-- tx_certified: 1 if what a transaction has only locked, and not changed, is locked on one node alone: a node
-- of Galera, where transactions are certified by what they have changed.
SELECT COUNT(*)
  FROM /*M! information_schema.global_variables */ /*!80000 performance_schema.global_variables */ v
 WHERE v.variable_name = 'wsrep_on' AND v.variable_value = 'ON'
