-- batch_new: here requests that go together go one by one, in one transaction.
SELECT 0, 0, 0 WHERE 0
