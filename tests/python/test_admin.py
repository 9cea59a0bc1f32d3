# SPDX-License-Identifier: MIT
"""Who holds what, who waits; break, reap."""

import os
import unittest
from datetime import datetime, timedelta, timezone

import dblock
from kit import LONG, Case, until


class Admin(Case):
    def test_list(self):
        with self.client.lock("a/1"), self.client.lock("a/2", shared=True), self.client.lock("b"):
            holders = self.other.list("a/*")
            self.assertEqual([h.name for h in holders], ["a/1", "a/2"])
            self.assertEqual(holders[1].mode, dblock.Mode.SHARED)
            self.assertEqual((holders[0].pid, holders[0].hold), (os.getpid(), dblock.Hold.SESSION))
            age = datetime.now(timezone.utc) - holders[0].acquired
            self.assertLess(abs(age), timedelta(hours=1))
            self.assertTrue(0 <= holders[0].held < 3600)
            self.assertEqual([h.name for h in self.other.list(limit=2)], ["a/1", "a/2"])
            self.assertEqual([h.name for h in self.other.list(after="a/2")], ["b"])
        self.assertEqual(self.other.list(), [])
        free = self.other.list(free_too=True)
        self.assertEqual([(h.name, h.hold) for h in free][-1], ("b", dblock.Hold.FREE))

    def test_more_than_a_page(self):
        for i in range(250):
            self.client.lock("n%03d" % i)
        self.assertEqual([h.name for h in self.other.list()], ["n%03d" % i for i in range(250)])

    def test_show(self):
        self.assertEqual(self.client.show("never"), [])
        with self.client.lock("s", permits=(1, 2)), self.other.lock("s", permits=(1, 2)):
            shown = self.client.show("s")
            self.assertEqual([(h.permits, h.capacity) for h in shown], [(1, 2)] * 2)

    def test_waiters(self):
        with self.client.lock("a"):
            result = self.thread(lambda: self.other.lock("a", value="me", lease=50).release())
            (waiter,) = until(lambda: self.client.waiters("a"))
            self.assertEqual((waiter.name, waiter.place, waiter.value), ("a", 1, "me"))
            self.assertEqual((waiter.lease, waiter.mode), (50, dblock.Mode.EXCLUSIVE))
            self.assertEqual(self.client.show("a")[0].waiting, 1)
            self.assertEqual(self.client.waiters("b"), [])
            self.assertEqual(len(self.client.waiters(pattern="?")), 1)
        until(lambda: result == [None])
        self.assertEqual(self.client.waiters(), [])

    def test_break_waits_for_its_holder(self):
        self.assertFalse(self.other.break_lock("a"))
        lock = self.client.lock("a")
        self.assertFalse(self.other.break_lock("a", lock.token + 1))
        self.assertTrue(lock.valid())
        with self.assertRaises(dblock.Timeout):
            self.other.break_lock("a", wait=0.1)
        self.assertTrue(lock.lost.wait(LONG))
        result = self.thread(lambda: self.other.break_lock("a"))
        with self.assertRaises(dblock.Lost):
            lock.release()
        until(lambda: result)
        self.assert_free("a")

    def test_reap(self):
        self.client.lock("old").release()
        with self.client.once("job", "1"):
            pass
        reaped = self.other.reap(purge_after=0, keep_marks=0, max_time=0)
        self.assertEqual((reaped.names_purged, reaped.marks_deleted), (2, 1))
        self.assertEqual(self.other.reap(local=True).names_purged, 0)
        with self.client.once("job", "1"):
            pass

    def test_who_only_looks(self):
        with self.connect(observe=True) as watcher, self.client.lock("a"):
            self.assertEqual(len(watcher.list()), 1)
            self.assertEqual(watcher.tables_version, self.client.tables_version)
            self.assertGreater(watcher.tables_version, 0)
            with self.assertRaises(dblock.Invalid):
                watcher.lock("b")


if __name__ == "__main__":
    unittest.main()
