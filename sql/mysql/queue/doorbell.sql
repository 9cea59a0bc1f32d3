-- doorbell: sleep until rung: ring looks for this very text, ring_stop interrupts it. Apart from that it
-- does nothing, and nothing is held meanwhile.
SELECT SLEEP({ms} / 1000) AS bell_{channel}
