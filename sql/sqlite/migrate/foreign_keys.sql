-- foreign_keys: does this connection check references?
SELECT foreign_keys FROM pragma_foreign_keys
