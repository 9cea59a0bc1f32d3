# SPDX-License-Identifier: MIT
"""A lock that looks like threading.Lock."""

from __future__ import annotations

import os
from threading import get_ident
from typing import TYPE_CHECKING, Any, Optional

from ._entries import Entries
from ._errors import Busy, Invalid, Timeout
from ._lock import Lock
from ._options import acquire_options

if TYPE_CHECKING:
    from ._client import Client
    from ._options import AcquireOptions

#: Why an option is none of a mutex.
_REFUSED = {
    "shared": "a mutex has one holder: client.lock() takes it",
    "update": "a mutex is held alone: client.lock() takes it",
    "permits": "a mutex has one holder: client.lock() takes it",
    "owner": "a mutex is held by threads: client.lock() takes it",
    "wait": "acquire(timeout=...) has it",
}


def unique_owner() -> int:
    """An owner that nobody else is."""
    return int.from_bytes(os.urandom(8), "big") >> 1 | 1


class Mutex:
    """acquire(), release(), locked() and `with`, as of threading.Lock: not re-entrant, either.

    A thread that has lost it, and does not know yet, does not release what another one has since.
    """

    def __init__(self, client: Client, name: str, options: AcquireOptions) -> None:
        for option, why in _REFUSED.items():
            value: Any = options.get(option)
            if value is not None and value is not False:
                raise Invalid("%s: %s" % (option, why))
        acquire_options(options)
        self._client = client
        self.name = name
        self._options = options
        self._entries = Entries()

    @property
    def lock(self) -> Optional[Lock]:
        """What this thread holds by it; else what another thread does; None: nobody."""
        entry = self._entries.find(get_ident(), lambda entry: entry.is_held)
        return entry.lock if entry else None

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        """Takes it. False if it was not free, within the time allowed."""
        return self._acquire(blocking, timeout, until_left=False) is not None

    def _acquire(self, blocking: bool, timeout: float, until_left: bool) -> Optional[Lock]:
        if not blocking and timeout != -1:
            raise ValueError("can't specify a timeout for a non-blocking call")
        if timeout < 0 and timeout != -1:
            raise ValueError("timeout value must be a non-negative number")
        wait = 0 if not blocking else None if timeout == -1 else timeout
        options = self._options.copy()
        options["wait"], options["owner"] = wait, unique_owner()
        try:
            lock = self._client.lock(self.name, **options)
        except (Busy, Timeout):
            return None
        self._entries.add(get_ident(), lock, until_left)
        return lock

    def release(self) -> None:
        """Gives it back. Raises Lost if it had been lost before."""
        entry = self._entries.find(get_ident(), lambda entry: entry.is_held)
        if not entry or not (entry.until_left or self._entries.drop(entry)):
            raise RuntimeError("release unlocked lock")
        entry.lock.release()

    def locked(self) -> bool:
        """Is it held by way of this object, and certainly so?"""
        return any(lock.valid() for lock in self._entries.locks())

    def __enter__(self) -> Lock:
        lock = self._acquire(True, -1, until_left=True)
        assert lock is not None
        return lock

    def __exit__(self, *exception: Any) -> None:
        entry = self._entries.find(get_ident(), lambda entry: entry.until_left)
        if not entry or not self._entries.drop(entry):
            raise RuntimeError("this thread has not entered the mutex '%s'" % self.name)
        entry.lock.__exit__(*exception)
