-- refinery v0.9.0-13-g14354f5, as refinery_core/src/traits/mod.rs makes it
-- version is int8 with the feature int8-versions. checksum is a decimal u64 as text.

CREATE TABLE IF NOT EXISTS refinery_schema_history(
             version int4 PRIMARY KEY,
             name VARCHAR(255),
             applied_on VARCHAR(255),
             checksum VARCHAR(255));

INSERT INTO refinery_schema_history (version, name, applied_on, checksum)
 VALUES (1, 'first', '2024-01-01T00:00:01.123456789Z', '13938003117294561042');
