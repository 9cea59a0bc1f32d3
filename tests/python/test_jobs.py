# SPDX-License-Identifier: MIT
"""Jobs that are done once, and leaders."""

import unittest
from contextlib import suppress

import dblock
from kit import LONG, Case, until


class Once(Case):
    def test_it_is_done_once(self):
        runs = []
        for client in (self.client, self.other, self.client):
            with suppress(dblock.Done), client.once("report", "2026-11-21") as slot:
                runs.append(slot.slot)
        self.assertEqual(runs, ["2026-11-21"])
        with self.assertRaisesRegex(dblock.Done, "2026-11-21"):
            self.client.once("report", "2026-11-21")
        with self.client.once("report", "2026-11-22"):
            pass

    def test_what_fails_is_still_to_be_done(self):
        with self.assertRaises(KeyError):
            with self.client.once("report", "a"):
                raise KeyError
        slot = self.other.once("report", "a", wait=0)
        with self.assertRaises(dblock.Busy):
            self.client.once("report", "a", wait=0)
        slot.release()
        with self.client.once("report", "a", wait=0) as slot:
            slot.done()
            self.assertFalse(slot.valid())
        with self.assertRaises(dblock.Done):
            self.client.once("report", "a")
        with self.assertRaises(dblock.Invalid):
            slot.done()

    def test_who_has_lost_it_marks_nothing(self):
        with self.assertRaises(dblock.Lost):
            with self.client.once("report", "a"):
                self.other.break_lock("report", force=True)
        with self.other.once("report", "a", wait=0):
            pass
        with self.client.lock("report", wait=0) as lock:
            self.assertFalse(lock.lost.is_set())


class Leaders(Case):
    def test_who_leads_and_what_it_says(self):
        self.assertIsNone(self.other.leader("scheduler"))
        with self.client.elect("scheduler", "web-1:80") as lock:
            leader = self.other.leader("scheduler")
            self.assertEqual((leader.token, leader.value), (lock.token, "web-1:80"))
            lock.proclaim("web-1:81")
            self.assertEqual(self.other.leader("scheduler").value, "web-1:81")
            with self.assertRaises(dblock.Busy):
                self.other.elect("scheduler", wait=0)
            with self.assertRaises(dblock.Timeout):
                self.other.elect("scheduler", wait=0.2)
        self.assertIsNone(self.other.leader("scheduler"))

    def test_watch(self):
        seen = []
        done = self.thread(
            lambda: [seen.append(one) for one in self.other.watch("scheduler", every=0.02)]
        )
        with self.client.elect("scheduler", "a") as lock:
            until(lambda: len(seen) == 1)
            lock.proclaim("b")
            until(lambda: len(seen) == 2)
        until(lambda: len(seen) == 3)
        self.assertEqual([one and one.value for one in seen], ["a", "b", None])
        self.other.shutdown()
        until(lambda: done)
        self.assertIsInstance(done[0], dblock.Canceled)

    def test_watch_ends_when_nothing_changes(self):
        self.assertEqual(list(self.other.watch("scheduler", wait=0.1, every=0.02)), [])

    def test_a_leader_is_told_when_it_leads_no_more(self):
        lock = self.client.elect("scheduler")
        self.other.break_lock("scheduler", force=True)
        self.assertTrue(lock.lost.wait(LONG))


if __name__ == "__main__":
    unittest.main()
