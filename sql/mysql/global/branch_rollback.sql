-- branch_rollback: roll back one that is prepared.
XA ROLLBACK ':gtrid', ':bqual'
