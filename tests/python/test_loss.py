# SPDX-License-Identifier: MIT
"""A lock that is lost says so: by an event, a callback, from memory, and at its end."""

import logging
import os
import time
import unittest

import dblock
from dblock._library import lib
from kit import LONG, Case, until


class Loss(Case):
    def taken(self, name="job", **options):
        """A lock that another client has broken."""
        lock = self.client.lock(name, **options)
        self.assertIsNone(lock.loss)
        self.assertTrue(self.other.break_lock(name, force=True))
        self.assertTrue(lock.lost.wait(LONG))
        return lock

    def test_who_broke_it_and_when(self):
        lock = self.taken()
        self.assertFalse(lock.valid())
        self.assertIn("lost", repr(lock))
        self.assertEqual((lock.loss.cause, lock.loss.pid), (dblock.Cause.BROKEN, os.getpid()))
        self.assertGreater(lock.loss.at, self.other.list(free_too=True)[0].acquired)
        with self.assertRaisesRegex(dblock.Lost, "broken by host .*pid %d" % os.getpid()):
            lock.check()
        with self.assertRaisesRegex(dblock.Lost, "broken by host"):
            lock.release()
        with self.assertRaises(dblock.Invalid):
            lock.release()

    def test_with_says_so_at_its_end(self):
        with self.assertRaises(dblock.Lost):
            with self.taken():
                pass
        with self.assertRaises(dblock.Lost):
            with self.client.mutex("m"):
                self.other.break_lock("m", force=True)

    def test_another_exception_is_not_masked_and_shows_the_loss(self):
        try:
            with self.taken():
                try:
                    raise KeyError("first")
                except KeyError:
                    raise RuntimeError("mine")
        except RuntimeError as exception:
            first = exception.__context__
            self.assertIsInstance(first, KeyError)
            self.assertIsInstance(first.__context__, dblock.Lost)
            self.assertIsNone(first.__context__.__context__)
        else:
            self.fail("nothing was raised")

    def test_who_wants_to_know_is_called_once(self):
        told = []
        lock = self.taken(on_lost=told.append)
        until(lambda: told)
        with self.assertRaises(dblock.Lost):
            lock.release()
        self.assertEqual(told, [lock])

    def test_the_callback_may_release_it(self):
        done = []

        def on_lost(lock):
            try:
                lock.release()
            except dblock.Lost as exception:
                done.append(exception)

        self.taken(on_lost=on_lost)
        until(lambda: done)

    def test_the_callback_may_not_close_its_client(self):
        said = []

        def on_lost(_):
            try:
                self.client.close()
            except dblock.Invalid as exception:
                said.append(exception)

        self.taken(on_lost=on_lost)
        until(lambda: said)
        self.assertFalse(self.client.closed)

    def test_a_callback_that_fails_is_logged_and_no_more(self):
        def on_lost(_):
            raise KeyError("mine")

        with self.assertLogs("dblock", logging.ERROR) as logged:
            self.taken(on_lost=on_lost)
            until(lambda: logged.output)
        self.assertIn("KeyError", logged.output[0])
        with self.client.lock("other") as lock:
            self.assertTrue(lock.valid())

    def test_who_entered_it_again_is_told_as_well(self):
        told = []
        first = self.client.lock("job", on_lost=told.append)
        second = self.client.lock("job", on_lost=told.append)
        third = self.client.lock("job", on_lost=told.append)
        third.release()
        self.other.break_lock("job", force=True)
        until(lambda: len(told) == 2)
        self.assertEqual(told, [first, second])

    def test_what_is_lost_before_it_is_known_here_is_told_as_well(self):
        told = []
        adopt = self.client._adopt

        def late(handle, got):
            self.other.break_lock("job", force=True)
            until(lambda: not lib.dblock_valid(handle, 0))
            time.sleep(0.2)  # The library tells of it now, and finds nobody.
            return adopt(handle, got)

        self.client._adopt = late
        lock = self.client.lock("job", on_lost=told.append)
        self.assertTrue(lock.lost.is_set())
        self.assertEqual(told, [lock])

    def test_the_next_lock_of_that_name_is_not_lost(self):
        lock = self.taken()
        with self.assertRaises(dblock.Lost):
            lock.release()
        for _ in range(20):
            with self.client.lock("job") as lock:
                self.assertFalse(lock.lost.is_set())
                lock.check()

    def test_a_lease_that_is_over(self):
        lock = self.client.lock("job", lease=0.3)
        self.assertTrue(lock.lost.wait(LONG))
        self.assertEqual(lock.loss.cause, dblock.Cause.LEASE)

    def test_a_holder_that_is_asked_is_not_lost(self):
        with self.client.lock("job") as lock:
            self.assertFalse(lock.release_requested)
            self.assertTrue(self.other.request_release("job", "new version"))
            self.assertTrue(self.other.show("job")[0].release_requested)
            # With the next heartbeat, which is every third of 30 seconds.
            until(lambda: lock.release_requested)
            self.assertTrue(lock.valid())
        self.assertFalse(self.other.request_release("job"))


if __name__ == "__main__":
    unittest.main()
