# SPDX-License-Identifier: MIT
"""Distributed locks on the SQL database that you already run: docs/user/python.md.

    with dblock.connect("postgresql:///app") as client:
        with client.lock("nightly", wait=5) as lock:
            report(lock.token)
"""

from ._aio import AsyncLock, release
from ._client import Client, connect

from ._errors import (
    Blocked, Broken, Bug, Busy, Canceled, Conflict, Deadlock, Denied, Done, Error, Fenced, Forked,
    Full, Gone, Invalid, Lost, NoAnswer, NoMemory, NotADatabase, ReadOnly, Refused, Stale, Timeout,
    Unavailable, Unsure, WrongSchema,
)  # fmt: skip
from ._library import lib as _lib
from ._lock import Lock, Slot
from ._mutex import Mutex
from ._told import State, StateChange
from ._values import Cause, Hold, Holder, Leader, LockSpec, Loss, Member, Mode, Reaped, Waiter

#: The C library's.
__version__: str = _lib.dblock_version().decode()
#: The databases that the C library knows.
drivers = tuple(_lib.dblock_drivers().decode().split())

__all__ = [
    "AsyncLock", "Blocked", "Broken", "Bug", "Busy", "Canceled", "Cause", "Client", "Conflict",
    "Deadlock", "Denied", "Done", "Error", "Fenced", "Forked", "Full", "Gone", "Hold", "Holder", "Invalid",
    "Leader", "Lock", "LockSpec", "Loss", "Lost", "Member", "Mode", "Mutex", "NoAnswer", "NoMemory",
    "NotADatabase", "ReadOnly", "Reaped", "Refused", "Slot", "Stale", "State", "StateChange",
    "Timeout", "Unavailable", "Unsure", "Waiter", "WrongSchema", "connect", "drivers", "release",
]  # fmt: skip
