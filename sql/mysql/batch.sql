-- batch: here requests that go together go one by one, in one transaction.
SELECT 0, 0, 0 FROM (SELECT 1 AS one) o WHERE one = 0
