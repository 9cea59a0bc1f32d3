CREATE TABLE measurement (
  city int NOT NULL, day date NOT NULL, peak int, PRIMARY KEY (city, day)
) PARTITION BY RANGE (day);
CREATE TABLE measurement_2024 PARTITION OF measurement FOR VALUES FROM ('2024-01-01') TO ('2025-01-01');
CREATE TABLE measurement_2025 PARTITION OF measurement FOR VALUES FROM ('2025-01-01') TO ('2026-01-01')
  PARTITION BY LIST (city);
CREATE TABLE measurement_2025_a PARTITION OF measurement_2025 FOR VALUES IN (1, 2, 3);
CREATE TABLE measurement_rest PARTITION OF measurement DEFAULT;
INSERT INTO measurement VALUES (1, '2024-05-06', 20), (2, '2025-05-06', 21), (9, '2030-01-01', NULL);
CREATE TABLE hashed (id int) PARTITION BY HASH (id);
DO $$
BEGIN
  FOR i IN 0..3 LOOP
    EXECUTE format('CREATE TABLE hashed_%s PARTITION OF hashed FOR VALUES WITH (MODULUS 4, REMAINDER %s);', i, i);
  END LOOP;
END
$$;
