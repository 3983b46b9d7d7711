package server

import (
	"bufio"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"kaijutsu/internal/follow"
)

// A reader that takes nothing for too long hears why it is cut off, and where
// to go on, when it reads again.
func TestASlowReaderIsToldWhy(t *testing.T) {
	const patience = 50 * time.Millisecond
	began := make(chan time.Time, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		o := &eventStream{w: w, rc: http.NewResponseController(w), patience: patience}
		if err := o.write([]byte(": first\n\n")); err != nil {
			t.Errorf("a reader that reads: %v", err)
		}
		began <- time.Now()
		// more than the sockets' buffers hold
		err := o.write([]byte(strings.Repeat(": more\n", 4<<20)))
		if err != errSlow {
			t.Errorf("a reader that does not read: %v, want %v", err, errSlow)
		}
		o.end(&follow.Ended{Reason: err, ID: "the-id"})
	}))
	defer server.Close()
	resp, err := http.Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	tick := time.NewTicker(patience)
	defer tick.Stop()
	for at := <-began; time.Since(at) < 20*patience; {
		<-tick.C
	}
	var last string
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "data: ") {
			last = lines.Text()
		}
	}
	if !strings.Contains(last, "took nothing for") || !strings.Contains(last, `"since":"the-id"`) {
		t.Errorf("it is told %q, want the reason and where to go on", last)
	}
}
