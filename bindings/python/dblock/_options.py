# SPDX-License-Identifier: MIT
"""How a lock is acquired."""

from __future__ import annotations

from typing import Optional, Tuple, TypedDict

from . import _native as n
from ._values import (
    Seconds,
    duration,
    encoded_or_none,
    mode_of,
    owner_of,
    priority_of,
    signed,
    waiting,
)


class AcquireOptions(TypedDict, total=False):
    """The options of Client.lock(), and of what is like it."""

    #: How long to wait; default, and None: as long as it takes; 0: not at all.
    wait: Optional[Seconds]
    #: The grant has an end of its own, and outlives the client.
    lease: Optional[Seconds]
    #: Released before then, the name is kept taken until then.
    at_least: Optional[Seconds]
    #: A text, shown to others.
    value: Optional[str]
    #: Re-entry by this number instead of by the calling thread.
    owner: int
    #: Take it if it is free, also if others wait for it.
    unfair: bool
    #: In line it counts as if it had come so many times 10 s earlier; from -10 to 10.
    priority: int
    #: Together with others that share.
    shared: bool
    #: Together with readers, to be upgraded.
    update: bool
    #: So many permits of a semaphore that has so many.
    permits: Optional[Tuple[int, int]]
    #: After so long it looks for a deadlock; less than 0: never.
    deadlock: Optional[Seconds]
    #: After the release the client keeps it for so long, unless others want it.
    idle: Optional[Seconds]
    #: If this process ends, nobody gets it for so long.
    settle: Optional[Seconds]


def acquire_options(options: AcquireOptions) -> n.dblock_acquire_options:
    """The options of an acquire, for C."""
    for option in options:
        if option not in AcquireOptions.__annotations__:
            known = ", ".join(AcquireOptions.__annotations__)
            raise TypeError("there is no option %r: a lock has on_lost, %s" % (option, known))
    get = options.get
    mode, count, capacity = mode_of(
        get("shared", False), get("update", False), get("permits")
    )
    return n.dblock_acquire_options(
        wait_ms=waiting(get("wait")),
        lease_ms=duration(get("lease"), "lease"),
        at_least_ms=duration(get("at_least"), "at_least", zero=True),
        value=encoded_or_none(get("value"), "value"),
        owner=owner_of(get("owner", 0)),
        unfair=bool(get("unfair", False)),
        mode=mode,
        permits=count,
        capacity=capacity,
        deadlock_ms=signed(get("deadlock"), "deadlock"),
        idle_ms=duration(get("idle"), "idle", zero=True),
        settle_ms=duration(get("settle"), "settle", zero=True),
        priority=priority_of(get("priority", 0)),
    )
