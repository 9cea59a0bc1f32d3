# SPDX-License-Identifier: MIT
"""A lock that looks like threading.Lock."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING, Any, Optional

from ._errors import Busy, Timeout
from ._lock import Lock

if TYPE_CHECKING:
    from ._client import Client
    from ._options import AcquireOptions


def unique_owner() -> int:
    """An owner that nobody else is."""
    return int.from_bytes(os.urandom(8), "big") >> 1 | 1


class Mutex:
    """acquire(), release(), locked() and `with`, as of threading.Lock: not re-entrant, either."""

    def __init__(self, client: Client, name: str, options: AcquireOptions) -> None:
        self._client = client
        self.name = name
        self._options = options
        self._mutex = threading.Lock()
        #: The Lock while it is held.
        self.lock: Optional[Lock] = None

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        """Takes it. False if it was not free, within the time allowed."""
        if not blocking and timeout != -1:
            raise ValueError("can't specify a timeout for a non-blocking call")
        if timeout < 0 and timeout != -1:
            raise ValueError("timeout value must be a non-negative number")
        wait = 0 if not blocking else None if timeout == -1 else timeout
        try:
            options = self._options.copy()
            options["wait"], options["owner"] = wait, unique_owner()
            self.lock = self._client.lock(self.name, **options)
        except (Busy, Timeout):
            return False
        return True

    def release(self) -> None:
        """Gives it back. Raises Lost if it had been lost before."""
        with self._mutex:
            lock, self.lock = self.lock, None
        if lock is None:
            raise RuntimeError("release unlocked lock")
        lock.release()

    def locked(self) -> bool:
        """Is it held by way of this object, and certainly so?"""
        lock = self.lock
        return lock is not None and lock.valid()

    def __enter__(self) -> Lock:
        self.acquire()
        assert self.lock is not None
        return self.lock

    def __exit__(self, *exception: Any) -> None:
        with self._mutex:
            lock, self.lock = self.lock, None
        if lock is not None:
            lock.__exit__(*exception)
