-- foreign_keys: 1, as foreign keys are always checked here.
SELECT 1
