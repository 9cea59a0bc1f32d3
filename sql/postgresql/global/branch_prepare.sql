-- branch_prepare: from now on it can be committed, or rolled back, by its name, whatever happens. The words are the
-- two parts of that.
PREPARE TRANSACTION ':gtrid:bqual'
