-- branch_commit: commit one that is prepared.
XA COMMIT ':gtrid', ':bqual'
