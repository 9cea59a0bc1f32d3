-- foreign_keys: 1: references are always checked here.
SELECT 1
