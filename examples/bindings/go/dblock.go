// SPDX-License-Identifier: MIT

// What a Go program needs of libdblock: open, acquire under a context, hear of a loss, release.
package main

// #cgo pkg-config: dblock
// #include <dblock/dblock.h>
// #include <errno.h>
// #include <poll.h>
// #include <stdlib.h>
//
// // Until `lost` or `stop` is readable: is it lost?
// static int lost_before(int lost, int stop)
// {
//	struct pollfd fds[2] = {{.fd = lost, .events = POLLIN}, {.fd = stop, .events = POLLIN}};
//
//	while (poll(fds, 2, -1) < 0 && errno == EINTR)
//		;
//	return fds[0].revents != 0;
// }
import "C"

import (
	"context"
	"fmt"
	"os"
	"sync/atomic"
	"unsafe"
)

// Outcome is what a call returned: > 0 is expected, < 0 a failure.
type Outcome struct {
	Code    int
	Message string
}

func (o *Outcome) Error() string { return o.Message }

// Canceled: the context was over before the lock was there.
const Canceled = C.DBLOCK_CANCELED

func outcome(rc C.int, e *C.struct_dblock_error) error {
	if rc == C.DBLOCK_OK {
		return nil
	}
	return &Outcome{int(rc), C.GoString(&e.message[0])}
}

// Client may be used by any number of goroutines.
type Client struct{ c *C.struct_dblock_client }

func Open(url string) (*Client, error) {
	var client Client
	var e C.struct_dblock_error
	// Zero is every default; the size says which members this program knows.
	options := C.struct_dblock_client_options{size: C.sizeof_struct_dblock_client_options}
	text := C.CString(url)
	defer C.free(unsafe.Pointer(text))
	return &client, outcome(C.dblock_open(text, &options, &client.c, &e), &e)
}

func (client *Client) Close() { C.dblock_close(client.c, nil) }

// Lock is held from Acquire to Release, by whichever goroutine.
type Lock struct {
	l    *C.struct_dblock_lock
	stop *os.File      // closed by Release, which ends the watch
	done chan struct{} // the watch has ended
	Lost chan struct{} // closed before the database lets anybody else in
}

// A goroutine is no thread: it moves from one to another, and several take turns on one. So no two acquires
// may look alike by their thread: each is an owner of its own, and none is a re-entry.
var owners uint64

func (client *Client) Acquire(ctx context.Context, name string) (*Lock, error) {
	var wait *C.struct_dblock_wait
	var e C.struct_dblock_error
	lock := &Lock{Lost: make(chan struct{}), done: make(chan struct{})}
	options := C.struct_dblock_acquire_options{size: C.sizeof_struct_dblock_acquire_options}
	options.owner = C.uint64_t(atomic.AddUint64(&owners, 1))
	text := C.CString(name)
	defer C.free(unsafe.Pointer(text))
	if rc := C.dblock_acquire_begin(client.c, text, &options, &wait, &e); rc != C.DBLOCK_OK {
		return nil, outcome(rc, &e)
	}
	over, canceled := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(canceled)
		select {
		case <-ctx.Done():
			C.dblock_wait_cancel(wait)
		case <-over:
		}
	}()
	rc := C.dblock_wait_finish(wait, &lock.l, &e) // sleeps, on a thread that Go keeps for it
	close(over)
	<-canceled // nobody is inside of a call on the wait any more
	C.dblock_wait_end(wait)
	if rc != C.DBLOCK_OK {
		return nil, outcome(rc, &e)
	}
	return lock, lock.watch()
}

// A descriptor in the place of a callback, which would come on a thread that Go does not know.
func (lock *Lock) watch() error {
	var fd C.int
	var e C.struct_dblock_error
	ended, stop, err := os.Pipe()
	if err != nil {
		C.dblock_release(lock.l, nil)
		return err
	}
	if rc := C.dblock_lost_fd(lock.l, &fd, &e); rc != C.DBLOCK_OK {
		ended.Close()
		stop.Close()
		C.dblock_release(lock.l, nil)
		return outcome(rc, &e)
	}
	lock.stop = stop
	go func() {
		defer close(lock.done)
		defer ended.Close()
		if C.lost_before(fd, C.int(ended.Fd())) != 0 {
			close(lock.Lost)
		}
	}()
	return nil
}

func (lock *Lock) Token() int64 { return int64(C.dblock_token(lock.l)) }

// Valid is a memory read: ask before each step that matters.
func (lock *Lock) Valid(needMs int64) bool {
	return bool(C.dblock_valid(lock.l, C.int64_t(needMs)))
}

// Release closes the descriptor of the loss, so the watch has to be over before.
func (lock *Lock) Release() error {
	var e C.struct_dblock_error
	lock.stop.Close()
	<-lock.done
	if err := outcome(C.dblock_release(lock.l, &e), &e); err != nil {
		return fmt.Errorf("release: %w", err)
	}
	return nil
}
