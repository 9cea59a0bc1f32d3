-- End the transaction: nothing that it wrote ever was.
ROLLBACK;
