-- branch_end: nothing more is done in the branch.
XA END ':gtrid', ':bqual'
