# SPDX-License-Identifier: MIT
"""Locks: with, try, modes, leases, re-entry, several at once."""

import time
import unittest
from datetime import timedelta

import dblock
from kit import URL, Case, until


class Locks(Case):
    def test_with_holds_it_and_gives_it_back(self):
        with self.client.lock("job", value="Ada") as lock:
            self.assertTrue(lock.valid())
            self.assertGreater(lock.remaining, 1)
            self.assert_held("job")
            (holder,) = self.other.show("job")
            self.assertEqual((holder.token, holder.value), (lock.token, "Ada"))
        self.assertFalse(lock.valid())
        self.assert_free("job")

    def test_with_gives_it_back_when_an_exception_leaves(self):
        with self.assertRaises(KeyError):
            with self.client.lock("job"):
                raise KeyError("mine")
        self.assert_free("job")

    def test_each_token_is_larger(self):
        tokens = []
        for client in (self.client, self.other) * 2:
            with client.lock("job") as lock:
                tokens.append(lock.token)
        self.assertEqual(tokens, sorted(set(tokens)))

    def test_not_at_all_not_for_long(self):
        with self.client.lock("job") as lock:
            self.assertIsNone(self.other.try_lock("job"))
            with self.assertRaisesRegex(dblock.Busy, "token %d" % lock.token):
                self.other.lock("job", wait=0)
            for wait in (0.3, timedelta(milliseconds=300)):
                begin = time.monotonic()
                with self.assertRaises(dblock.Timeout) as caught:
                    self.other.lock("job", wait=wait)
                self.assertGreaterEqual(time.monotonic() - begin, 0.29)
                self.assertEqual(caught.exception.outcome, "DBLOCK_TIMEOUT")
                self.assertIsInstance(caught.exception, TimeoutError)

    def test_shared_and_update_and_exclusive(self):
        with self.client.lock("page", shared=True) as reader:
            self.assertEqual(reader.mode, dblock.Mode.SHARED)
            with self.other.lock("page", update=True, wait=0) as lock:
                self.assertEqual(lock.mode, dblock.Mode.UPDATE)
                before = lock.token
                with self.assertRaises(dblock.Timeout):
                    lock.upgrade(wait=0.2)
                self.assertTrue(lock.valid())
                reader.release()
                lock.upgrade()
                self.assertEqual(lock.mode, dblock.Mode.EXCLUSIVE)
                self.assertGreater(lock.token, before)
                self.assert_held("page", by=self.client)
                lock.downgrade()
                with self.client.lock("page", shared=True, wait=0):
                    pass

    def test_permits(self):
        with self.client.lock("gate", permits=(2, 3)):
            with self.other.lock("gate", permits=(1, 3), wait=0):
                with self.assertRaises(dblock.Busy):
                    self.other.lock("gate", permits=(1, 3), wait=0)

    def test_a_lease_outlives_its_client_and_goes_by_its_token(self):
        # A client of another process: of one process all clients count as the holder of its leases.
        said = self.finish(
            self.program(
                """
lock = client.lock("backup", lease=90)
lock.extend(80)
print(lock.token)
client.close()
"""
            )
        )
        token = int(said)
        (holder,) = self.client.show("backup")
        self.assertEqual(holder.hold, dblock.Hold.LEASE)
        self.assertTrue(60 < holder.left <= 80, holder)
        self.assertTrue(self.client.extend_token("backup", token, 600))
        self.assertGreater(self.client.show("backup")[0].left, 500)
        self.assertFalse(self.client.release_token("backup", token - 1))
        self.assertTrue(self.client.release_token("backup", token))
        self.assertFalse(self.client.extend_token("backup", token, 600))
        self.assert_free("backup")

    def test_a_minimum_hold(self):
        self.client.lock("mail", at_least=90).release()
        self.assert_held("mail")
        self.assertEqual(self.client.show("mail")[0].hold, dblock.Hold.MINIMUM)

    def test_a_thread_enters_it_again_and_others_do_not(self):
        with self.client.lock("job") as lock:
            with self.client.lock("job", wait=0) as again:
                self.assertEqual(again.token, lock.token)
                self.assertIs(again.lost, lock.lost)
                elsewhere = self.thread(lambda: self.client.lock("job", wait=0))
                until(lambda: elsewhere)
                self.assertIsInstance(elsewhere[0], dblock.Busy)
            self.assertFalse(again.valid())
            self.assertTrue(lock.valid())
            self.assert_held("job")
        self.assert_free("job")

    def test_an_owner_enters_it_again_whatever_the_thread(self):
        with self.client.lock("job", owner=7):
            with self.assertRaises(dblock.Busy):
                self.client.lock("job", wait=0)
            with self.client.lock("job", owner=7, wait=0):
                pass
            self.assert_held("job")

    def test_all_or_none(self):
        wanted = ["b", dblock.LockSpec("a", shared=True), dblock.LockSpec("c", permits=(1, 2))]
        with self.client.lock_all(wanted) as lock:
            members = lock.members
            self.assertEqual([m.name for m in members], ["a", "b", "c"])
            self.assertEqual(members[0].mode, dblock.Mode.SHARED)
            self.assertEqual(members[2].mode, dblock.Mode.PERMITS)
            self.assertEqual(lock.token, max(m.token for m in members))
            with self.assertRaises(dblock.Timeout):
                self.other.lock_all(["b", "d"], wait=0.2)
            self.assert_free("d")
        self.assert_free("b")

    def test_what_is_released_is_held_no_more(self):
        lock = self.client.lock("job")
        lock.release()
        self.assertEqual((lock.valid(), lock.remaining, lock.members), (False, 0, []))
        self.assertIsNone(lock.loss)
        for call in (
            lock.release,
            lambda: lock.extend(5),
            lambda: lock.proclaim("x"),
            lock.upgrade,
        ):
            with self.assertRaises(dblock.Invalid):
                call()
        with self.assertRaises(dblock.Lost):
            lock.check()
        self.assertIn("released", repr(lock))

    def test_what_a_closed_client_held(self):
        lock = self.client.lock("job")
        self.client.close()
        self.client.close()
        self.assert_free("job")
        self.assertFalse(lock.valid())
        for call in (lock.release, lambda: self.client.lock("job"), self.client.list):
            with self.assertRaises(dblock.Invalid):
                call()
        with self.assertRaises(dblock.Lost):
            lock.check()

    def test_check_asks_for_enough_time(self):
        with self.client.lock("job") as lock:
            lock.check()
            lock.check(need=1)
            with self.assertRaises(dblock.Lost):
                lock.check(need=3600)


class Arguments(Case):
    def test_what_c_would_cut_is_refused(self):
        refused = [
            (dict(name="a\0b"), dblock.Invalid),
            (dict(name="\udc80"), dblock.Invalid),
            (dict(name=b"a"), TypeError),
            (dict(name="a", wait=-1), dblock.Invalid),
            (dict(name="a", wait=float("nan")), dblock.Invalid),
            (dict(name="a", wait=1e30), dblock.Invalid),
            (dict(name="a", lease=0), dblock.Invalid),
            (dict(name="a", owner=1 << 64), dblock.Invalid),
            (dict(name="a", value="x\0"), dblock.Invalid),
            (dict(name="a", permits=(0, 5)), dblock.Invalid),
            (dict(name="a", permits=(1, 1 << 64)), dblock.Invalid),
            (dict(name="a", shared=True, update=True), dblock.Invalid),
            (dict(name="a", no_such=1), TypeError),
        ]
        for options, exception in refused:
            with self.subTest(options=options):
                with self.assertRaises(exception):
                    self.client.lock(**options)
        self.assertEqual(self.client.list(), [])

    def test_what_is_refused_is_named(self):
        client = self.client
        lock = client.lock("held", lease=90)
        lists = client.lock_all
        refused = [
            (lambda: client.lock("a", wait="1s"), TypeError, "^wait: .*second.*str"),
            (lambda: client.lock("a", lease="1"), TypeError, "^lease: .*second.*str"),
            (lambda: client.lock("a", deadlock=[]), TypeError, "^deadlock: .*second.*list"),
            (lambda: dblock.connect(URL, ttl="3"), TypeError, "^ttl: .*second.*str"),
            (lambda: lock.downgrade("shared"), TypeError, "^mode: .*int.*str"),
            (lambda: dblock.connect(URL, connections="1"), TypeError, "^connections: .*int.*str"),
            (lambda: client.lock("a", owner="me"), TypeError, "^owner: .*int.*str"),
            (lambda: client.lock("a", owner=-1), dblock.Invalid, "^owner: -1"),
            (lambda: client.lock("a", permits=3), TypeError, "^permits: .*two.*3"),
            (lambda: client.lock("a", permits=(1, 2, 3)), TypeError, "^permits: .*two.*3"),
            (lambda: client.lock("a", permits=("1", 2)), TypeError, "^permits: .*int.*str"),
            (lambda: client.lock("a", permits=(1, 2.5)), TypeError, "^permits: .*int.*float"),
            (lambda: client.lock("a", priority="1"), TypeError, "^priority: .*int.*str"),
            (lambda: client.lock("a", priority=1 << 40), dblock.Invalid, "^priority is"),
            (lambda: client.lock("a", no_such=1), TypeError, "'no_such'.*wait.*settle"),
            (lambda: client.try_lock("a", no_such=1), TypeError, "'no_such'.*wait.*settle"),
            (lambda: client.alock("a", no_such=1), TypeError, "'no_such'.*wait.*settle"),
            (lambda: client.lock("a", on_lost=3), TypeError, "^on_lost: .*call.*int"),
            (lambda: client.alock("a", on_lost=3), TypeError, "^on_lost: .*call.*int"),
            (lambda: client.elect("a", on_lost=3), TypeError, "^on_lost: .*call.*int"),
            (lambda: client.elect("a", owner=1 << 64), dblock.Invalid, "^owner: "),
            (lambda: lists("abc"), TypeError, r"^names: .*\['abc'\]"),
            (lambda: lists([1, 2]), TypeError, "^names: .*LockSpec.*int"),
            (lambda: lists(b"ab"), TypeError, "^names: .*LockSpec.*int"),
            (lambda: lists(7), TypeError, "^names: .*int"),
            (lambda: lists([dblock.LockSpec("a", permits=3)]), TypeError, "^permits: "),
        ]
        for number, (call, exception, why) in enumerate(refused):
            with self.subTest(number=number, why=why):
                with self.assertRaisesRegex(exception, why):
                    call()
        self.assertEqual([h.name for h in self.client.list()], ["held"])

    def test_what_the_library_refuses_says_why(self):
        with self.assertRaisesRegex(dblock.Invalid, "255") as caught:
            self.client.lock("x" * 256)
        self.assertEqual(
            (caught.exception.code, caught.exception.outcome), (-1, "DBLOCK_E_INVALID")
        )
        self.assertIsInstance(caught.exception, ValueError)

    def test_what_cannot_be_opened(self):
        with self.assertRaises(dblock.Invalid):
            dblock.connect("nonsense://")
        with self.assertRaises(dblock.Invalid):
            dblock.connect(URL, durability="eternal")
        with self.assertRaises(dblock.WrongSchema):
            dblock.connect(URL, prefix="other_")

    def test_what_a_client_is_opened_with(self):
        with self.connect(app="shop", connections=1, ttl=5) as client, client.lock("a") as lock:
            self.assertEqual(self.other.show("a")[0].app, "shop")
            self.assertLess(lock.remaining, 5)

    def test_people_know_a_program_by_its_name_and_not_as_python(self):
        with self.client.lock("a"):
            self.assertEqual(self.other.show("a")[0].app, "test_locks.py")


if __name__ == "__main__":
    unittest.main()
