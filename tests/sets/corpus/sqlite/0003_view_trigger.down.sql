DROP VIEW rich;
