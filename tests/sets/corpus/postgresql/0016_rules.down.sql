DROP TABLE shown, hidden;
