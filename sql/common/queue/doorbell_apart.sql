-- doorbell_apart: never sent, as there is no cluster of nodes.
SELECT 0
