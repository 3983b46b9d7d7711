package flowbus_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"kaijutsu"
	"kaijutsu/flowbus"
)

// serve has a bus answer a subject until the test ends.
func serve(t testing.TB, b *flowbus.Bus, subject string, f func(context.Context, flowbus.Message, func([]byte) error) error) {
	t.Helper()
	stop, err := b.Serve(subject, f)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
}

func ignore([]byte) error { return nil }

func TestAskInParts(t *testing.T) {
	s := startNATS(t, serverOptions())
	a, b := openBus(t, "a", s.ClientURL()), openBus(t, "b", s.ClientURL())
	var sent atomic.Int64
	serve(t, b, "node.ask.b", func(ctx context.Context, m flowbus.Message, send func([]byte) error) error {
		if m.Node != "a" || m.Subject != "node.ask.b" {
			return fmt.Errorf("question of %q on %q", m.Node, m.Subject)
		}
		switch string(m.Data) {
		case "many":
			for i := range 100 {
				if err := send([]byte(fmt.Sprint(i))); err != nil {
					return err
				}
				sent.Add(1)
			}
		case "large":
			return send(make([]byte, flowbus.MaxMessage))
		case "too large":
			return send(make([]byte, flowbus.MaxMessage+1))
		case "missing":
			send([]byte("half"))
			return fmt.Errorf("document 7:\nnowhere: %w", kaijutsu.ErrNotFound)
		case "odd":
			return errors.New("odd")
		}
		return nil
	})
	settle(t, a, b)
	ask := func(question string, f func([]byte) error) error {
		return a.Ask(t.Context(), "node.ask.b", []byte(question), f)
	}
	var got []string
	most := int64(0)
	err := ask("many", func(part []byte) error {
		got = append(got, string(part))
		most = max(most, sent.Load()-int64(len(got)))
		return nil
	})
	if err != nil || len(got) != 100 || got[99] != "99" {
		t.Errorf("many: %d parts, the last %q, %v; want 100", len(got), got[len(got)-1:], err)
	}
	if most > 12 {
		t.Errorf("the server was %d parts ahead, want at most its window", most)
	}
	for _, c := range []struct {
		question string
		parts    int
		want     error
		says     string
	}{
		{"none", 0, nil, ""},
		{"large", 1, nil, ""},
		{"too large", 0, kaijutsu.ErrTooLarge, "part of an answer"},
		{"missing", 1, kaijutsu.ErrNotFound, "node b: document 7: nowhere: not found"},
		{"odd", 0, nil, "node b: odd"},
	} {
		parts := 0
		err := ask(c.question, func([]byte) error { parts++; return nil })
		if parts != c.parts || c.want != nil && !errors.Is(err, c.want) || (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %d parts, %v; want %d, %v that says %q", c.question, parts, err, c.parts, c.want, c.says)
		}
	}
	mine := errors.New("mine")
	if err := ask("many", func([]byte) error { return mine }); !errors.Is(err, mine) {
		t.Errorf("error of the asker's function = %v, want it", err)
	}
	if err := a.Ask(t.Context(), "node.ask.nobody", nil, ignore); !errors.Is(err, kaijutsu.ErrUnavailable) {
		t.Errorf("ask nobody = %v, want unavailable", err)
	}
	if err := b.Ask(t.Context(), "node.ask.b", nil, ignore); !errors.Is(err, kaijutsu.ErrUnavailable) {
		t.Errorf("ask myself = %v, want unavailable", err)
	}
}

func TestAskerWhoLeavesIsNotServed(t *testing.T) {
	s := startNATS(t, serverOptions())
	a, b := openBus(t, "a", s.ClientURL()), openBus(t, "b", s.ClientURL())
	ended := make(chan error, 1)
	serve(t, b, "node.ask.b", func(ctx context.Context, m flowbus.Message, send func([]byte) error) error {
		send([]byte("begin"))
		<-ctx.Done()
		ended <- send([]byte("more"))
		return nil
	})
	settle(t, a, b)
	ctx, cancel := context.WithCancel(t.Context())
	err := a.Ask(ctx, "node.ask.b", nil, func([]byte) error { cancel(); return nil })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("Ask = %v, want canceled", err)
	}
	if err := next(t, "the server hears that the asker left", ended); !errors.Is(err, kaijutsu.ErrUnavailable) {
		t.Errorf("send to nobody = %v, want unavailable", err)
	}
}

func TestAskFailsWhenTheConnectionBreaks(t *testing.T) {
	s := startNATS(t, serverOptions())
	a, b := openBus(t, "a", s.ClientURL()), openBus(t, "b", s.ClientURL())
	began, ended := make(chan bool, 1), make(chan bool, 1)
	serve(t, b, "node.ask.b", func(ctx context.Context, m flowbus.Message, send func([]byte) error) error {
		began <- true
		<-ctx.Done()
		ended <- true
		return nil
	})
	settle(t, a, b)
	result := make(chan error, 1)
	go func() { result <- a.Ask(t.Context(), "node.ask.b", nil, ignore) }()
	next(t, "the question arrives", began)
	s.stop()
	if err := next(t, "the asker gives up", result); !errors.Is(err, kaijutsu.ErrUnavailable) {
		t.Errorf("Ask = %v, want unavailable", err)
	}
	next(t, "the server gives up", ended)
	s.start()
}

func TestAskAll(t *testing.T) {
	s := startNATS(t, serverOptions())
	var buses []*flowbus.Bus
	stopped := make(chan string, 8)
	for _, node := range []string{"a", "b", "c", "d"} {
		b := openBus(t, node, s.ClientURL())
		buses = append(buses, b)
		serve(t, b, "node.ask", func(ctx context.Context, m flowbus.Message, send func([]byte) error) error {
			switch question := string(m.Data); {
			case question == node:
				send([]byte("one"))
				return send([]byte("two"))
			case question == "busy" && node == "c":
				return send([]byte("one"))
			case question == "busy": // until told that it is in vain
				<-ctx.Done()
				stopped <- node
				return nil
			}
			return fmt.Errorf("question %s: %w", m.Data, kaijutsu.ErrNotFound)
		})
	}
	settle(t, buses...)
	for _, c := range []struct {
		question, node string
		parts          int
		want           error
	}{
		{"b", "b", 2, nil}, {"c", "c", 2, nil}, {"d", "d", 2, nil}, {"busy", "c", 1, nil}, {"what", "", 0, kaijutsu.ErrNotFound},
	} {
		parts, start := 0, time.Now()
		node, err := buses[0].AskAll(t.Context(), "node.ask", []byte(c.question), func([]byte) error { parts++; return nil })
		if node != c.node || parts != c.parts || !errors.Is(err, c.want) {
			t.Errorf("%s: node %q, %d parts, %v; want %q, %d, %v", c.question, node, parts, err, c.node, c.parts, c.want)
		}
		if took := time.Since(start); took > 900*time.Millisecond {
			t.Errorf("%s: took %v although all nodes are known", c.question, took)
		}
	}
	if got := map[string]bool{next(t, "b or d stops", stopped): true, next(t, "d or b stops", stopped): true}; !got["b"] || !got["d"] {
		t.Errorf("stopped %v, want b and d", got)
	}
	if _, err := buses[0].AskAll(t.Context(), "node.other", nil, ignore); !errors.Is(err, kaijutsu.ErrUnavailable) {
		t.Errorf("AskAll of nobody = %v, want unavailable", err)
	}
}

func TestAnswerThatIsForgedOrHasAHole(t *testing.T) {
	s := startNATS(t, serverOptions())
	a, nc := openBus(t, "a", s.ClientURL()), rawConn(t, s.ClientURL())
	for _, c := range []struct {
		name  string
		words [][4]string // answer, count, schema, kind
		want  string
	}{
		{"whole", [][4]string{{"alive", "0", "1"}, {"part", "1", "1"}, {"end", "1", "1", "ok"}}, ""},
		{"hole in the middle", [][4]string{{"part", "2", "1"}}, "hole"},
		{"hole at the end", [][4]string{{"part", "1", "1"}, {"end", "2", "1", "ok"}}, "hole"},
		{"hole that alive tells", [][4]string{{"part", "1", "1"}, {"alive", "2", "1"}}, "hole"},
		{"twice", [][4]string{{"part", "1", "1"}, {"part", "1", "1"}}, "hole"},
		{"another schema, then whole", [][4]string{{"part", "1", "2"}, {"part", "x", "1"}, {"what", "0", "1"}, {"part", "1", "1"}, {"end", "1", "1", "ok"}}, ""},
		{"an error of a kind nobody knows", [][4]string{{"end", "0", "1", "frightful"}}, "node x"},
	} {
		t.Run(c.name, func(t *testing.T) {
			sub, err := nc.Subscribe("kj.test.node.ask.x", func(m *nats.Msg) {
				for _, w := range c.words {
					r := nats.NewMsg(m.Reply)
					r.Reply = "_INBOX.nobody"
					for i, h := range []string{"Kj-Answer", "Kj-Count", "Kj-Schema", "Kj-Kind"} {
						r.Header[h] = []string{w[i]}
					}
					r.Header["Kj-Node"] = []string{"x"}
					nc.PublishMsg(r)
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			defer sub.Unsubscribe()
			if err := nc.Flush(); err != nil {
				t.Fatal(err)
			}
			err = a.Ask(t.Context(), "node.ask.x", nil, ignore)
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("Ask = %v, want one that says %q", err, c.want)
			}
		})
	}
}
