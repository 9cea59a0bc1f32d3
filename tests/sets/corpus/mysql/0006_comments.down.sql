DROP TABLE commented;
