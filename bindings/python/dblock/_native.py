# SPDX-License-Identifier: MIT
"""The C library as it is: its structs, which have its names, its functions, and nothing else.

tests/python/layout.py compares all of it with the headers.
"""

from __future__ import annotations

import ctypes
from ctypes import CFUNCTYPE, POINTER, Structure, c_bool, c_char, c_char_p, c_int, c_int64
from ctypes import c_size_t, c_uint, c_uint64, c_void_p
from typing import Any

FOREVER = -1
NO_WAIT = -2
OK, BUSY, TIMEOUT, LOST, STALE, WAITING = 0, 1, 2, 3, 4, 6
DURABILITIES = {None: 0, "durable": 1, "relaxed": 2, "remote": 3}
EXCLUSIVE, SHARED, UPDATE, PERMITS = 0, 1, 2, 3
SESSION_ID_SIZE = 33
UNKNOWN_MS = -(1 << 63)


class dblock_client(Structure):
    """Never looked into."""


class dblock_lock(Structure):
    """Never looked into."""


class dblock_wait(Structure):
    """Never looked into."""


ClientP = POINTER(dblock_client)
LockP = POINTER(dblock_lock)
WaitP = POINTER(dblock_wait)

Asking = CFUNCTYPE(c_int, c_void_p)
LostCallback = CFUNCTYPE(None, c_void_p, LockP)


class dblock_error(Structure):
    _fields_ = [("code", c_int), ("native", c_int), ("sqlstate", c_char * 6)] + [
        ("message", c_char * 2048)
    ]


StateCallback = CFUNCTYPE(None, c_void_p, c_uint, POINTER(dblock_error))


class Sized(Structure):
    """A struct that begins with its own size. The library's may have more at its end."""

    def __init__(self, **values: Any) -> None:
        super().__init__(**values)
        self.size = ctypes.sizeof(self)


class dblock_tuning(Sized):
    _fields_ = [
        ("size", c_size_t),
        ("local_turns", c_int64),
        ("wake_off", c_uint),
        ("post_releases", c_bool),
        ("park", c_bool),
        ("release_failed", c_void_p),
        ("release_failed_arg", c_void_p),
        ("connections", c_int64),
    ]


class dblock_client_options(Sized):
    _fields_ = [
        ("size", c_size_t),
        ("ttl_ms", c_int64),
        ("timeout_ms", c_int64),
        ("app", c_char_p),
        ("prefix", c_char_p),
        ("schema", c_char_p),
        ("durability", c_uint),
        ("alive_fd", c_int),
        ("auto_migrate", c_bool),
        ("observe", c_bool),
        ("tuning", POINTER(dblock_tuning)),
        ("trace", c_void_p),
        ("trace_arg", c_void_p),
        ("slow_wait_ms", c_int64),
        ("long_hold_ms", c_int64),
        ("state_changed", StateCallback),
        ("state_changed_arg", c_void_p),
    ]


class dblock_acquire_options(Sized):
    _fields_ = [
        ("size", c_size_t),
        ("wait_ms", c_int64),
        ("lease_ms", c_int64),
        ("at_least_ms", c_int64),
        ("value", c_char_p),
        ("owner", c_uint64),
        ("canceled", Asking),
        ("canceled_arg", c_void_p),
        ("lost", LostCallback),
        ("lost_arg", c_void_p),
        ("waiting", c_void_p),
        ("waiting_arg", c_void_p),
        ("waiting_every_ms", c_int64),
        ("unfair", c_bool),
        ("mode", c_uint),
        ("permits", c_int64),
        ("capacity", c_int64),
        ("release_requested", c_void_p),
        ("release_requested_arg", c_void_p),
        ("deadlock_ms", c_int64),
        ("idle_ms", c_int64),
        ("settle_ms", c_int64),
        ("numbered", c_bool),
        ("priority", c_int),
    ]


class dblock_upgrade_options(Sized):
    _fields_ = [
        ("size", c_size_t),
        ("wait_ms", c_int64),
        ("canceled", Asking),
        ("canceled_arg", c_void_p),
        ("deadlock_ms", c_int64),
    ]


class dblock_lock_spec(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("mode", c_uint),
        ("permits", c_int64),
        ("capacity", c_int64),
    ]


class dblock_member(Sized):
    _fields_ = [("size", c_size_t), ("name", c_char_p), ("token", c_int64), ("mode", c_uint)]


class dblock_loss(Sized):
    _fields_ = [
        ("size", c_size_t),
        ("cause", c_uint),
        ("at_us", c_int64),
        ("host", c_char * 256),
        ("pid", c_int64),
        ("app", c_char * 64),
        ("text", c_char * 1024),
    ]


class dblock_elect_options(Sized):
    _fields_ = [
        ("size", c_size_t),
        ("value", c_char_p),
        ("wait_ms", c_int64),
        ("owner", c_uint64),
        ("canceled", Asking),
        ("canceled_arg", c_void_p),
        ("lost", LostCallback),
        ("lost_arg", c_void_p),
        ("waiting", c_void_p),
        ("waiting_arg", c_void_p),
        ("waiting_every_ms", c_int64),
        ("trouble", c_void_p),
        ("trouble_arg", c_void_p),
    ]


class dblock_leader(Sized):
    _fields_ = [
        ("size", c_size_t),
        ("token", c_int64),
        ("value", c_char * 1025),
        ("host", c_char * 256),
        ("pid", c_int64),
        ("app", c_char * 64),
        ("since_us", c_int64),
    ]


class dblock_watch_options(Sized):
    _fields_ = [
        ("size", c_size_t),
        ("wait_ms", c_int64),
        ("every_ms", c_int64),
        ("canceled", Asking),
        ("canceled_arg", c_void_p),
    ]


class dblock_holder(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("name", c_char_p),
        ("hold", c_uint),
        ("token", c_int64),
        ("host", c_char_p),
        ("pid", c_int64),
        ("thread", c_int64),
        ("reentry", c_int64),
        ("app", c_char_p),
        ("session", c_char_p),
        ("session_dead", c_bool),
        ("session_missing", c_bool),
        ("acquired_us", c_int64),
        ("expires_us", c_int64),
        ("left_ms", c_int64),
        ("value", c_char_p),
        ("waiting", c_int64),
        ("mode", c_uint),
        ("permits", c_int64),
        ("capacity", c_int64),
        ("request", c_void_p),
        ("taken", c_void_p),
        ("process", c_uint),
        ("held_ms", c_int64),
    ]


class dblock_waiter(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("name", c_char_p),
        ("place", c_int64),
        ("ticket", c_int64),
        ("host", c_char_p),
        ("pid", c_int64),
        ("thread", c_int64),
        ("app", c_char_p),
        ("session", c_char_p),
        ("session_dead", c_bool),
        ("session_missing", c_bool),
        ("session_late", c_bool),
        ("since_us", c_int64),
        ("waiting_ms", c_int64),
        ("lease_ms", c_int64),
        ("value", c_char_p),
        ("mode", c_uint),
        ("permits", c_int64),
        ("capacity", c_int64),
        ("priority", c_int),
    ]


HolderCallback = CFUNCTYPE(c_int, c_void_p, POINTER(dblock_holder))
WaiterCallback = CFUNCTYPE(c_int, c_void_p, POINTER(dblock_waiter))


class dblock_list_options(Sized):
    _fields_ = [
        ("size", c_size_t),
        ("pattern", c_char_p),
        ("after", c_char_p),
        ("limit", c_int64),
        ("free_too", c_bool),
    ]


class dblock_waiters_options(Sized):
    _fields_ = [
        ("size", c_size_t),
        ("name", c_char_p),
        ("pattern", c_char_p),
        ("after", c_char_p),
        ("after_ticket", c_int64),
        ("limit", c_int64),
    ]


class dblock_break_options(Sized):
    _fields_ = [
        ("size", c_size_t),
        ("token", c_int64),
        ("wait_ms", c_int64),
        ("force", c_bool),
        ("canceled", Asking),
        ("canceled_arg", c_void_p),
        ("waiting", c_void_p),
        ("waiting_arg", c_void_p),
        ("waiting_every_ms", c_int64),
    ]


class dblock_reap_options(Sized):
    _fields_ = [
        ("size", c_size_t),
        ("local", c_bool),
        ("purge_after_ms", c_int64),
        ("canceled", Asking),
        ("canceled_arg", c_void_p),
        ("keep_marks_ms", c_int64),
        ("max_time_ms", c_int64),
    ]


class dblock_reaped(Sized):
    _fields_ = [
        ("size", c_size_t),
        ("sessions_buried", c_int64),
        ("locks_freed", c_int64),
        ("sessions_deleted", c_int64),
        ("names_purged", c_int64),
        ("marks_deleted", c_int64),
        ("sessions_watched", c_int64),
    ]
