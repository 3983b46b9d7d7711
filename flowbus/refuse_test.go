package flowbus_test

import (
	"strings"
	"testing"

	"github.com/nats-io/nats.go"

	"kaijutsu/flowbus"
)

func TestForeignMessagesAreCountedAndDropped(t *testing.T) {
	s := startNATS(t, serverOptions())
	b, nc := openBus(t, "b", s.ClientURL()), rawConn(t, s.ClientURL())
	got := make(chan flowbus.Message, 64)
	if _, err := b.Subscribe(">", func(m flowbus.Message) { got <- m }, func(int) {}); err != nil {
		t.Fatal(err)
	}
	settle(t, b, openBus(t, "a", s.ClientURL()))
	for len(got) > 0 {
		<-got
	}
	for _, c := range []struct {
		name, schema, node string
		size               int
		taken              bool
		counted            string // the sender it is counted for
		problem            string
	}{
		{"good", "1", "c", 10, true, "", ""},
		{"another schema", "2", "d", 10, false, "d", "node d speaks schema 2 and this node speaks 1: 1 of its messages were refused"},
		{"no schema", "", "e", 10, false, "e", "node e sent 1 messages that were refused"},
		{"no node", "1", "", 10, false, "", "something that is not a kaijutsu node publishes"},
		{"a node that is no name", "1", "a b\x01", 10, false, "", "2 messages were refused"},
		{"too large", "1", "f", flowbus.MaxMessage + 1, false, "f", "node f sent 1 messages"},
		{"a schema that is no name", "\x1b[2J", "g", 1, false, "g", "node g sent 1 messages"},
	} {
		m := nats.NewMsg("kj.test.ctx.a")
		if c.schema != "" {
			m.Header["Kj-Schema"] = []string{c.schema}
		}
		if c.node != "" {
			m.Header["Kj-Node"] = []string{c.node}
		}
		m.Data = make([]byte, c.size)
		before := b.State().Refused[c.counted]
		if err := nc.PublishMsg(m); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if c.taken {
			if m := next(t, c.name, got); m.Node != c.node || len(m.Data) != c.size {
				t.Errorf("%s: %+v", c.name, m)
			}
			continue
		}
		until(t, c.name+" is counted", func() bool { return b.State().Refused[c.counted] == before+1 })
		if all := strings.Join(b.State().Problems, "\n"); !strings.Contains(all, c.problem) {
			t.Errorf("%s: problems %q do not say %q", c.name, all, c.problem)
		}
	}
	if len(got) > 0 {
		t.Errorf("delivered %+v", <-got)
	}
	for i := range 500 { // senders are not counted without bound
		m := nats.NewMsg("kj.test.ctx.a")
		m.Header["Kj-Node"] = []string{strings.Repeat("x", i%60+1) + string(rune('a'+i%26))}
		nc.PublishMsg(m)
	}
	until(t, "the rest is counted together", func() bool { return b.State().Refused["others"] > 0 })
	if n := len(b.State().Refused); n > 66 {
		t.Errorf("%d senders are counted, want at most 65", n)
	}
}
