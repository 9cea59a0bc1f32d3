CREATE TABLE product (
  id INT AUTO_INCREMENT PRIMARY KEY,
  net DECIMAL(10, 2) NOT NULL CHECK (net >= 0),
  gross DECIMAL(12, 2) GENERATED ALWAYS AS (net * 2) STORED,
  label VARCHAR(50) AS (CONCAT(net, ';')) VIRTUAL,
  state ENUM('on', 'off;', 'it''s') NOT NULL DEFAULT 'off;',
  tags SET('a', 'b') DEFAULT 'a,b',
  made TIMESTAMP NOT NULL DEFAULT '2024-01-01 00:00:00' ON UPDATE CURRENT_TIMESTAMP,
  CONSTRAINT cheap CHECK (net < 1000000),
  UNIQUE KEY `key;` (net, state), INDEX part (made)
) ENGINE = InnoDB COMMENT = 'things; to sell';
INSERT INTO product (net, state) VALUES (1, 'on'), (2, DEFAULT), (3, 'it''s');
ALTER TABLE product ADD COLUMN seen INT DEFAULT 0 AFTER net, MODIFY state ENUM('on', 'off;', 'it''s', 'new') NOT NULL,
  DROP INDEX part;
