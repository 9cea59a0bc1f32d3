# SPDX-License-Identifier: MIT
"""How the library is called: never with a handle that is gone, and so that Ctrl-C is heard."""

from __future__ import annotations

import math
import threading
import time
from threading import Event
from typing import Any, Callable, Generator, List, Set

from . import _native as n
from ._errors import Invalid


class Call:
    """One call, and the thread that makes it."""

    def __init__(self) -> None:
        self.thread = threading.get_ident()


class Gate:
    """What is freed at its end: calls go in while it is open, its end waits for them."""

    def __init__(self) -> None:
        self.is_shut = False
        #: To leave is to discard the call from this, in a `finally` without a function of Python's:
        #: in that a signal's handler could raise before its first line.
        self.inside: Set[Call] = set()

    def enter(self, call: Call) -> bool:
        """False if it is shut. The call has to leave in any case: so let it stand in a try."""
        self.inside.add(call)
        # After the line above: either this sees that it is shut, or wait() sees the call.
        return not self.is_shut

    def shut(self) -> None:
        """No call goes in from now on. Not for who is inside: as a signal's handler may be."""
        me = threading.get_ident()
        if any(call.thread == me for call in tuple(self.inside)):
            raise Invalid("it is in use: this thread, or a task of its, is inside of a call on it")
        self.is_shut = True

    def open_again(self) -> None:
        self.is_shut = False

    def wait(self, seconds: float = math.inf) -> bool:
        """Until nobody is inside, which takes no longer than a request: so it polls."""
        end = time.monotonic() + seconds
        while self.inside and time.monotonic() < end:
            time.sleep(0.001)
        return not self.inside


def _listener(raised: List[BaseException]) -> Generator[int, object, None]:
    """Answers whether a call is to end: since a signal's handler has raised something.

    Python runs the handlers of signals on its main thread, where Python code goes on or is called.
    In a function that would be before its first line, where no `try` catches what they raise. A
    generator goes on behind its `yield`, which is in the `try`.
    """
    answer = 0
    while True:
        try:
            while True:
                yield answer
        except GeneratorExit:
            raise
        except BaseException as exception:
            raised.append(exception)
            answer = 1


def interruptible(options: Any, call: Callable[[], int]) -> int:
    """Makes a call whose options have `canceled`, which is asked every 100 ms while it waits."""
    # The handlers of signals run on no other thread.
    if threading.current_thread() is not threading.main_thread():
        return call()
    raised: List[BaseException] = []
    listener = _listener(raised)
    next(listener)
    options.canceled = n.Asking(listener.send)
    try:
        code = call()
    finally:
        options.canceled = n.Asking(0)
        listener.close()
    if raised:
        raise raised[0]
    return code


def apart(call: Callable[[Event], int]) -> int:
    """Makes a call that calls Python back, with an event which says that it is to end.

    Not on the main thread: a signal's handler could raise before the first line of what is called
    back, where nothing can catch it.
    """
    stop = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        return call(stop)
    done = threading.Event()
    codes: List[int] = []
    raised: List[BaseException] = []

    def make() -> None:
        try:
            codes.append(call(stop))
        except BaseException as exception:
            raised.append(exception)
        finally:
            done.set()

    threading.Thread(target=make, name="dblock", daemon=True).start()
    try:
        done.wait()
    except BaseException:
        stop.set()
        done.wait()
        raise
    if raised:
        raise raised[0]
    return codes[0]
