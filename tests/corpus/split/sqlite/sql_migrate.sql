SELECT 1;
  -- +migrate Down
DROP TABLE a;
