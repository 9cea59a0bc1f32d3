-- branch_commit: commit one that is prepared.
COMMIT PREPARED ':gtrid:bqual'
