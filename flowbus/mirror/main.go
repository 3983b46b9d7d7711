// Mirror keeps a copy of a context by following its events, and prints it, as a
// line of JSON, at every version:
//
//	go run ./flowbus/mirror http://127.0.0.1:7433 CONTEXT
//
// It needs no CRDT library, and nothing else of this module: mirror.go is meant
// to be copied, mirror.mjs is the same in JavaScript. A token is read from
// KJ_TOKEN.
//
// Its one goroutine waits for the stream. It stores nothing, and does not write:
// operations do that.
package main

import (
	"encoding/json"
	"log"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 3 {
		log.Fatal("usage: mirror URL CONTEXT")
	}
	req, err := http.NewRequest(http.MethodGet, strings.TrimSuffix(os.Args[1], "/")+"/v1/events?snapshot=true&context="+url.QueryEscape(os.Args[2]), nil)
	if err != nil {
		log.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+os.Getenv("KJ_TOKEN"))
	m, out := &Mirror{}, json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for {
		err := m.Follow(req, func() { _ = out.Encode(m) })
		log.Print("again in a second: ", err)
		time.Sleep(time.Second)
	}
}
