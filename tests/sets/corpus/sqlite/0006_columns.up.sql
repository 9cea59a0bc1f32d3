CREATE TABLE product (
  sku TEXT NOT NULL CHECK (sku GLOB '[a-z;]*'),
  net REAL NOT NULL DEFAULT (1 + 2),
  gross REAL GENERATED ALWAYS AS (net * 1.19) STORED,
  label TEXT AS (sku || ';') VIRTUAL,
  at TEXT DEFAULT '2024-01-01',
  CONSTRAINT "key;" PRIMARY KEY (sku)
) WITHOUT ROWID, STRICT;
INSERT INTO product (sku, net) VALUES ('a', 100), (';', 2);
CREATE UNIQUE INDEX product_dear ON product (CASE WHEN net > 5 THEN 'dear;' ELSE sku END);
ALTER TABLE product ADD COLUMN seen INT DEFAULT 0;
ALTER TABLE product RENAME COLUMN at TO made;
