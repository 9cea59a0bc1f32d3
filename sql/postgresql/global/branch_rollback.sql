-- branch_rollback: roll back one that is prepared.
ROLLBACK PREPARED ':gtrid:bqual'
