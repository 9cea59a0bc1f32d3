CREATE INDEX CONCURRENTLY person_mood ON person (mood) WHERE mood <> 'sad';
