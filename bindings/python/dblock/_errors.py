# SPDX-License-Identifier: MIT
"""An exception for each outcome of the library but DBLOCK_OK (dblock/error.h)."""

from __future__ import annotations

from typing import Any, Dict, Tuple, Type


class Error(Exception):
    """What a call of the library says when it is not "done": the base of all exceptions of dblock.

    An outcome above 0 is expected: everything works, but it is not yours. One below 0 is a failure.
    """

    code: int = 0

    def __init__(
        self, message: str = "", code: int = 0, sqlstate: str = "", native: int = 0
    ) -> None:
        super().__init__(message)
        #: In English: what, and the next step; never a password.
        self.message = message
        #: The outcome, as in the header.
        self.code = code or type(self).code
        #: SQLSTATE where the database has one, else "".
        self.sqlstate = sqlstate
        #: errno, SQLite's result code or MySQL's error number; 0 if there is none.
        self.native = native

    @property
    def outcome(self) -> str:
        """The outcome's name, as in the header: "DBLOCK_BUSY"."""
        return NAMES.get(self.code, "DBLOCK_%d" % self.code)

    def __reduce__(self) -> Tuple[Any, ...]:
        return (type(self), (self.message, self.code, self.sqlstate, self.native))


class Busy(Error):
    """Somebody else holds the lock."""

    code = 1


class Timeout(Error, TimeoutError):
    """The lock was not free within the time allowed."""

    code = 2


class Lost(Error):
    """The lock was held and is no longer; the message says why, when and by whom."""

    code = 3


class Stale(Error):
    """That grant does not hold the lock; or nobody does."""

    code = 4


class Canceled(Error):
    """The wait was canceled, as by Client.shutdown()."""

    code = 5


class Done(Error):
    """The slot has been done before."""

    code = 7


class Deadlock(Error):
    """Each waits for what the other holds: this one gave up. Release what is held, begin anew."""

    code = 8


class Fenced(Error):
    """A transaction of the holder's own stands behind its fence."""

    code = 9


class Gone(Error):
    """There is no such row."""

    code = 10


class Broken(Error):
    """One of those who were waited for has gone."""

    code = 11


class Invalid(Error, ValueError):
    """An argument is not valid; or the client is closed, or the lock released."""

    code = -1


class NoMemory(Error, MemoryError):
    """Out of memory, or of file descriptors."""

    code = -2


class Unavailable(Error, ConnectionError):
    """The database cannot be reached."""

    code = -3


class Unsure(Error):
    """The reply was lost: the request may or may not have been carried out."""

    code = -4


class NoAnswer(Error):
    """The database did not answer in time. (The lock was not free: that is Timeout.)"""

    code = -5


class Blocked(Error):
    """A row, table or file is locked by another transaction. (The lock is held: that is Busy.)"""

    code = -6


class Conflict(Error):
    """The transaction lost a conflict and has to be run again."""

    code = -7


class WrongSchema(Error):
    """The tables of dblock are missing, too old or of another shape."""

    code = -8


class Denied(Error, PermissionError):
    """The database refuses permission."""

    code = -9


class ReadOnly(Error):
    """The database cannot be written."""

    code = -10


class Full(Error):
    """The database has no room left."""

    code = -11


class NotADatabase(Error):
    """The file is not a database, or is damaged."""

    code = -12


class Forked(Error):
    """The client belongs to the parent process."""

    code = -13


class Bug(Error):
    """An error inside dblock."""

    code = -14


class Refused(Error):
    """The database refused the statement."""

    code = -18


class Restored(Error):
    """The source of the message was restored, or is another one."""

    code = -19


CLASSES: Dict[int, Type[Error]] = {
    c.code: c
    for c in (
        Busy, Timeout, Lost, Stale, Canceled, Done, Deadlock, Fenced, Gone, Broken, Invalid,
        NoMemory, Unavailable, Unsure, NoAnswer, Blocked, Conflict, WrongSchema, Denied, ReadOnly,
        Full, NotADatabase, Forked, Bug, Refused, Restored,
    )
}  # fmt: skip

NAMES: Dict[int, str] = {
    0: "DBLOCK_OK", 1: "DBLOCK_BUSY", 2: "DBLOCK_TIMEOUT", 3: "DBLOCK_LOST", 4: "DBLOCK_STALE",
    5: "DBLOCK_CANCELED", 6: "DBLOCK_WAITING", 7: "DBLOCK_DONE", 8: "DBLOCK_DEADLOCK",
    9: "DBLOCK_FENCED", 10: "DBLOCK_GONE", 11: "DBLOCK_BROKEN", -1: "DBLOCK_E_INVALID", -2: "DBLOCK_E_NOMEM",
    -3: "DBLOCK_E_UNAVAILABLE", -4: "DBLOCK_E_UNSURE", -5: "DBLOCK_E_NO_ANSWER",
    -6: "DBLOCK_E_BLOCKED", -7: "DBLOCK_E_CONFLICT", -8: "DBLOCK_E_SCHEMA", -9: "DBLOCK_E_DENIED",
    -10: "DBLOCK_E_READONLY", -11: "DBLOCK_E_FULL", -12: "DBLOCK_E_NOTDB", -13: "DBLOCK_E_FORKED",
    -14: "DBLOCK_E_BUG", -15: "DBLOCK_E_MIGRATION", -16: "DBLOCK_E_DRIFT", -17: "DBLOCK_E_REPAIR",
    -18: "DBLOCK_E_REFUSED", -19: "DBLOCK_E_RESTORED",
}  # fmt: skip


def error_of(code: int, message: str, sqlstate: str = "", native: int = 0) -> Error:
    """The exception that stands for an outcome."""
    return CLASSES.get(code, Error)(message, code, sqlstate, native)
