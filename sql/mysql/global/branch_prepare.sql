-- branch_prepare: from now on it can be committed, or rolled back, by its name, whatever happens.
XA PREPARE ':gtrid', ':bqual'
