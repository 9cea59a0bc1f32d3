-- foreign_keys: does this connection check foreign keys?
SELECT foreign_keys FROM pragma_foreign_keys
