-- branch_abandon: roll back one that is not prepared, and was ended.
XA ROLLBACK ':gtrid', ':bqual'
