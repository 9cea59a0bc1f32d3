-- branch_list: what is prepared by a name of ours, in this database: format, the lengths of the name's two parts, name.
SELECT 1 AS format, 56 AS gtrid, length(p.gid) - 56 AS bqual, p.gid
  FROM pg_prepared_xacts p
 WHERE p.database = current_database() AND p.gid LIKE 'dblock:%' AND length(p.gid) > 56
