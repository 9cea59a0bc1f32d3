-- branch_begin: begin a branch. The words are the two parts of its name.
SET TRANSACTION ISOLATION LEVEL READ COMMITTED, READ WRITE
-- step
XA START ':gtrid', ':bqual'
