# SPDX-License-Identifier: MIT
"""Finds the C library, and says how each of its functions is called."""

from __future__ import annotations

import ctypes
import os
from ctypes import POINTER, c_bool, c_char, c_char_p, c_int, c_int64, c_size_t, c_uint
from typing import Any, Dict, NoReturn, Optional, Tuple

from . import _native as n
from ._errors import error_of

#: Before 1.0 the interface may change with the second number.
MADE_FOR = "0.1."

_error = POINTER(n.dblock_error)
_acquire = POINTER(n.dblock_acquire_options)
_new_lock = POINTER(n.LockP)

#: name: (result, arguments)
FUNCTIONS: Dict[str, Tuple[Any, Tuple[Any, ...]]] = {
    "dblock_version": (c_char_p, ()),
    "dblock_drivers": (c_char_p, ()),
    "dblock_open": (
        c_int,
        (c_char_p, POINTER(n.dblock_client_options), POINTER(n.ClientP), _error),
    ),
    "dblock_connection_state_of": (c_uint, (n.ClientP,)),
    "dblock_session_id": (c_int, (n.ClientP, POINTER(c_char), _error)),
    "dblock_tables_version": (c_int64, (n.ClientP, POINTER(c_int64))),
    "dblock_shutdown": (None, (n.ClientP,)),
    "dblock_close": (c_int, (n.ClientP, _error)),
    "dblock_try": (c_int, (n.ClientP, c_char_p, _acquire, _new_lock, _error)),
    "dblock_acquire": (c_int, (n.ClientP, c_char_p, _acquire, _new_lock, _error)),
    "dblock_release": (c_int, (n.LockP, _error)),
    "dblock_extend": (c_int, (n.LockP, c_int64, _error)),
    "dblock_upgrade": (c_int, (n.LockP, POINTER(n.dblock_upgrade_options), _error)),
    "dblock_downgrade": (c_int, (n.LockP, c_uint, _error)),
    "dblock_mode_of": (c_uint, (n.LockP,)),
    "dblock_release_token": (c_int, (n.ClientP, c_char_p, c_int64, _error)),
    "dblock_extend_token": (c_int, (n.ClientP, c_char_p, c_int64, c_int64, _error)),
    "dblock_valid": (c_bool, (n.LockP, c_int64)),
    "dblock_remaining_ms": (c_int64, (n.LockP,)),
    "dblock_token": (c_int64, (n.LockP,)),
    "dblock_name": (c_char_p, (n.LockP,)),
    "dblock_loss_of": (c_int, (n.LockP, POINTER(n.dblock_loss))),
    "dblock_acquire_all": (
        c_int,
        (n.ClientP, POINTER(n.dblock_lock_spec), c_size_t, _acquire, _new_lock, _error),
    ),
    "dblock_member_of": (c_bool, (n.LockP, c_size_t, POINTER(n.dblock_member))),
    "dblock_once": (c_int, (n.ClientP, c_char_p, c_char_p, _acquire, _new_lock, _error)),
    "dblock_once_done": (c_int, (n.LockP, _error)),
    "dblock_once_slot": (c_char_p, (n.LockP,)),
    "dblock_elect": (
        c_int,
        (n.ClientP, c_char_p, POINTER(n.dblock_elect_options), _new_lock, _error),
    ),
    "dblock_proclaim": (c_int, (n.LockP, c_char_p, _error)),
    "dblock_leader_of": (c_int, (n.ClientP, c_char_p, POINTER(n.dblock_leader), _error)),
    "dblock_leader_watch": (
        c_int,
        (
            n.ClientP,
            c_char_p,
            POINTER(n.dblock_watch_options),
            POINTER(n.dblock_leader),
            _error,
        ),
    ),
    "dblock_request_release": (c_int, (n.ClientP, c_char_p, c_char_p, _error)),
    "dblock_release_requested": (c_bool, (n.LockP,)),
    "dblock_list": (
        c_int,
        (n.ClientP, POINTER(n.dblock_list_options), n.HolderCallback, ctypes.c_void_p, _error),
    ),
    "dblock_show": (c_int, (n.ClientP, c_char_p, n.HolderCallback, ctypes.c_void_p, _error)),
    "dblock_waiters": (
        c_int,
        (n.ClientP, POINTER(n.dblock_waiters_options), n.WaiterCallback, ctypes.c_void_p, _error),
    ),
    "dblock_break": (c_int, (n.ClientP, c_char_p, POINTER(n.dblock_break_options), _error)),
    "dblock_reap": (
        c_int,
        (n.ClientP, POINTER(n.dblock_reap_options), POINTER(n.dblock_reaped), _error),
    ),
    "dblock_acquire_begin": (c_int, (n.ClientP, c_char_p, _acquire, POINTER(n.WaitP), _error)),
    "dblock_wait_fd": (c_int, (n.WaitP, POINTER(c_int), _error)),
    "dblock_wait_step": (c_int, (n.WaitP, _new_lock, _error)),
    "dblock_wait_finish": (c_int, (n.WaitP, _new_lock, _error)),
    "dblock_wait_cancel": (None, (n.WaitP,)),
    "dblock_wait_end": (None, (n.WaitP,)),
}


def _load() -> Any:
    name = os.environ.get("DBLOCK_LIBRARY") or "libdblock.so.0"
    try:
        library = ctypes.CDLL(name)
    except OSError as why:
        raise ImportError(
            "dblock: the C library cannot be loaded: %s; install libdblock0, or say in "
            "$DBLOCK_LIBRARY where libdblock.so.0 is" % why
        ) from why
    library.dblock_version.restype = c_char_p
    version = library.dblock_version().decode()
    if not version.startswith(MADE_FOR):
        raise ImportError(
            "dblock: this module is for version %sx of the C library, and %s is %s"
            % (MADE_FOR, name, version)
        )
    for function, (result, arguments) in FUNCTIONS.items():
        prototype = getattr(library, function)
        prototype.restype, prototype.argtypes = result, arguments
    return library


lib = _load()


def text(data: Optional[bytes]) -> str:
    """What the library says, which is UTF-8; but it hands on what others wrote."""
    return (data or b"").decode("utf-8", "replace")


def fail(code: int, error: n.dblock_error) -> NoReturn:
    """Raises what the library has said."""
    raise error_of(code, text(error.message), text(error.sqlstate), error.native)
