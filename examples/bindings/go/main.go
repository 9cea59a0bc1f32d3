// SPDX-License-Identifier: MIT

// Goroutines that count under a lock, one that gives up waiting, and one that hears that its lock is lost.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"time"
)

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "go:", err)
		os.Exit(1)
	}
}

// count lets 8 goroutines add 1, 10 times each, to what only the lock protects.
func count(client *Client) int {
	var all sync.WaitGroup
	n := 0
	for i := 0; i < 8; i++ {
		all.Add(1)
		go func() {
			defer all.Done()
			for j := 0; j < 10; j++ {
				lock, err := client.Acquire(context.Background(), "count")
				check(err)
				seen := n
				runtime.Gosched() // another goroutine may go on, on this very thread
				time.Sleep(time.Millisecond)
				n = seen + 1
				check(lock.Release())
			}
		}()
	}
	all.Wait()
	return n
}

func main() {
	client, err := Open(os.Args[1])
	check(err)
	defer client.Close()
	fmt.Println("counted to", count(client))

	lock, err := client.Acquire(context.Background(), "held")
	check(err)
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	_, err = client.Acquire(ctx, "held")
	var why *Outcome
	if !errors.As(err, &why) || why.Code != Canceled {
		check(fmt.Errorf("the second acquire came to: %v", err))
	}
	fmt.Println("gave up waiting")

	fmt.Println("held:", lock.Valid(0), "token:", lock.Token())
	<-lock.Lost
	fmt.Println("lost; held:", lock.Valid(0))
	fmt.Println(lock.Release())
}
