# SPDX-License-Identifier: MIT
"""Who has entered an object that several may use, and with what lock: each leaves with its own."""

from __future__ import annotations

from typing import Any, Callable, List, Optional

from ._lock import Lock


class Entry:
    """Somebody's, a thread's or a task's: who has lost the lock has one beside the next holder."""

    def __init__(self, who: Any, lock: Lock, until_left: bool) -> None:
        self.who = who
        self.lock = lock
        #: By a `with`: stays until that is left, also if the lock is released sooner.
        self.until_left = until_left

    @property
    def is_held(self) -> bool:
        return not (self.until_left and self.lock._released)


class Entries:
    """No mutex: a signal's handler may use what its thread is using."""

    def __init__(self) -> None:
        self._all: List[Entry] = []

    def locks(self) -> List[Lock]:
        return [entry.lock for entry in tuple(self._all)]

    def add(self, who: Any, lock: Lock, until_left: bool) -> None:
        self._all.append(Entry(who, lock, until_left))

    def find(self, who: Any, wanted: Callable[[Entry], bool]) -> Optional[Entry]:
        """The last one of who asks; else somebody has handed over what there is, if it is one."""
        entries = [entry for entry in tuple(self._all) if wanted(entry)]
        for entry in reversed(entries):
            if entry.who == who:
                return entry
        return entries[0] if len(entries) == 1 else None

    def drop(self, entry: Entry) -> bool:
        """False: somebody else was faster."""
        try:
            self._all.remove(entry)
        except ValueError:
            return False
        return True
