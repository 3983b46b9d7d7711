package flowbus_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"kaijutsu"
	"kaijutsu/flowbus"
)

// backends runs a test with the server in the process and with one outside.
func backends(t *testing.T, f func(t *testing.T, open func(node string) *flowbus.Bus)) {
	t.Run("embedded", func(t *testing.T) {
		b := openBus(t, "one")
		f(t, func(string) *flowbus.Bus { return b })
	})
	t.Run("external", func(t *testing.T) {
		s := startNATS(t, serverOptions())
		f(t, func(node string) *flowbus.Bus { return openBus(t, node, s.ClientURL()) })
	})
}

func TestKeys(t *testing.T) {
	backends(t, func(t *testing.T, open func(string) *flowbus.Bus) {
		a, b, ctx := open("a"), open("b"), t.Context()
		if keys, err := a.Keys(ctx, ""); err != nil || len(keys) > 0 {
			t.Errorf("keys of an empty bucket = %v, %v", keys, err)
		}
		rev, err := a.Create(ctx, "seat.anna", []byte("1"), 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := b.Create(ctx, "seat.anna", []byte("2"), 0); !errors.Is(err, kaijutsu.ErrConflict) {
			t.Errorf("create what is there = %v, want conflict", err)
		}
		if v, got, err := b.Get(ctx, "seat.anna"); err != nil || string(v) != "1" || got != rev {
			t.Errorf("get = %q, %d, %v, want 1, %d", v, got, err, rev)
		}
		rev2, err := b.Renew(ctx, "seat.anna", []byte("3"), rev, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := a.Renew(ctx, "seat.anna", []byte("4"), rev, 0); !errors.Is(err, kaijutsu.ErrConflict) {
			t.Errorf("renew with the old revision = %v, want conflict", err)
		}
		if v, got, err := a.Get(ctx, "seat.anna"); err != nil || string(v) != "3" || got != rev2 {
			t.Errorf("get = %q, %d, %v, want 3, %d", v, got, err, rev2)
		}
		for _, key := range []string{"seat.bert", "seatless", "other.x"} {
			if _, err := a.Put(ctx, key, nil, 0); err != nil {
				t.Fatal(err)
			}
		}
		if err := b.Delete(ctx, "seatless"); err != nil {
			t.Fatal(err)
		}
		if err := b.Delete(ctx, "never-there"); err != nil {
			t.Errorf("delete what is not there: %v", err)
		}
		for prefix, want := range map[string][]string{
			"":          {"other.x", "seat.anna", "seat.bert"},
			"seat.":     {"seat.anna", "seat.bert"},
			"sea":       {"seat.anna", "seat.bert"},
			"seat.anna": {"seat.anna"},
			"x":         nil,
		} {
			if got, err := a.Keys(ctx, prefix); err != nil || !slices.Equal(got, want) {
				t.Errorf("Keys(%q) = %v, %v, want %v", prefix, got, err, want)
			}
		}
		if _, _, err := a.Get(ctx, "seatless"); !errors.Is(err, kaijutsu.ErrNotFound) {
			t.Errorf("get what was deleted = %v, want not found", err)
		}
		if _, err := a.Renew(ctx, "seatless", nil, rev, 0); !errors.Is(err, kaijutsu.ErrConflict) {
			t.Errorf("renew what was deleted = %v, want conflict", err)
		}
		if _, err := a.Create(ctx, "seatless", []byte("again"), 0); err != nil {
			t.Errorf("create what was deleted: %v", err)
		}
	})
}

func TestKeysRefuse(t *testing.T) {
	b, ctx := openBus(t, "a"), t.Context()
	for _, key := range []string{"", ".a", "a.", "a..b", "a b", "a.*", "a.>", "ä", "a\nb", strings.Repeat("k", 257)} {
		if _, err := b.Put(ctx, key, nil, 0); !errors.Is(err, kaijutsu.ErrInvalid) {
			t.Errorf("Put(%q) = %v, want invalid", clipText(key), err)
		}
		if _, _, err := b.Get(ctx, key); !errors.Is(err, kaijutsu.ErrInvalid) {
			t.Errorf("Get(%q) = %v, want invalid", clipText(key), err)
		}
		if err := b.Delete(ctx, key); !errors.Is(err, kaijutsu.ErrInvalid) {
			t.Errorf("Delete(%q) = %v, want invalid", clipText(key), err)
		}
	}
	if _, err := b.Put(ctx, "k", nil, 300*time.Millisecond); !errors.Is(err, kaijutsu.ErrInvalid) {
		t.Errorf("a time to live of 300 ms = %v, want invalid", err)
	}
	if _, err := b.Put(ctx, "k", make([]byte, 64<<10+1), 0); !errors.Is(err, kaijutsu.ErrTooLarge) {
		t.Errorf("a large value = %v, want too large", err)
	}
	if _, err := b.Put(ctx, strings.Repeat("k", 256), make([]byte, 64<<10), time.Hour); err != nil {
		t.Errorf("the largest key and value: %v", err)
	}
	if _, err := b.Renew(ctx, "k", nil, 0, 0); !errors.Is(err, kaijutsu.ErrInvalid) {
		t.Errorf("renew revision 0 = %v, want invalid", err)
	}
}

func clipText(s string) string { return s[:min(len(s), 20)] }

// watched is a WatchKeys that runs; what it tells is written as "+key=value",
// "-key", "begin" and "end".
type watched struct {
	told chan string
	mu   sync.Mutex
	keys map[string]string
}

func watchKeys(t testing.TB, b *flowbus.Bus, prefix string) *watched {
	t.Helper()
	w := &watched{told: make(chan string, 4096), keys: map[string]string{}}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		done <- b.WatchKeys(ctx, prefix, func(key string, value []byte, gone bool) {
			w.mu.Lock()
			defer w.mu.Unlock()
			switch {
			case key == "" && gone:
				w.told <- "begin"
			case key == "":
				w.told <- "end"
			case gone:
				delete(w.keys, key)
				w.told <- "-" + key
			default:
				w.keys[key] = string(value)
				w.told <- "+" + key + "=" + string(value)
			}
		})
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("WatchKeys = %v, want canceled", err)
		}
	})
	return w
}

func (w *watched) expect(t testing.TB, want ...string) {
	t.Helper()
	for _, s := range want {
		if got := next(t, s, w.told); got != s {
			t.Fatalf("told %q, want %q", got, s)
		}
	}
}

// upTo reads until something is told.
func (w *watched) upTo(t testing.TB, want string) (all []string) {
	t.Helper()
	for {
		got := next(t, want, w.told)
		all = append(all, got)
		if got == want {
			return all
		}
	}
}

func TestWatchKeysAndExpiry(t *testing.T) {
	t.Parallel()
	backends(t, func(t *testing.T, open func(string) *flowbus.Bus) {
		a, b, ctx := open("a"), open("b"), t.Context()
		empty := watchKeys(t, b, "")
		empty.expect(t, "begin", "end")
		a.Put(ctx, "seat.anna", []byte("1"), 0)
		a.Put(ctx, "other", []byte("x"), 0)
		a.Put(ctx, "seat.bert", []byte("2"), time.Second)
		empty.expect(t, "+seat.anna=1", "+other=x", "+seat.bert=2")
		w := watchKeys(t, b, "seat.")
		w.expect(t, "begin", "+seat.anna=1", "+seat.bert=2", "end", "-seat.bert")
		if _, _, err := b.Get(ctx, "seat.bert"); !errors.Is(err, kaijutsu.ErrNotFound) {
			t.Errorf("get what expired = %v, want not found", err)
		}
		if _, err := b.Create(ctx, "seat.bert", []byte("3"), 0); err != nil {
			t.Errorf("create what expired: %v", err)
		}
		a.Delete(ctx, "seat.anna")
		w.expect(t, "+seat.bert=3", "-seat.anna")
	})
}

// TestRenewKeepsTheTimeToLive is about the update of the NATS client library,
// which drops it, so that the key of a dead node would stay for ever.
func TestRenewKeepsTheTimeToLive(t *testing.T) {
	t.Parallel()
	b, ctx := openBus(t, "a"), t.Context()
	w := watchKeys(t, b, "k")
	w.expect(t, "begin", "end")
	start := time.Now()
	rev, err := b.Create(ctx, "k", []byte("0"), time.Second)
	if err != nil {
		t.Fatal(err)
	}
	w.expect(t, "+k=0")
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	for i := range 3 {
		<-tick.C
		if rev, err = b.Renew(ctx, "k", fmt.Append(nil, i+1), rev, time.Second); err != nil {
			t.Fatal(err)
		}
		w.expect(t, fmt.Sprint("+k=", i+1))
	}
	w.expect(t, "-k")
	if took := time.Since(start); took < 2400*time.Millisecond || took > 4*time.Second {
		t.Errorf("the key lived %v, want about 2.5 s", took)
	}
}

func TestKeysAreWrittenOnce(t *testing.T) {
	s := startNATS(t, serverOptions())
	const writers, each = 4, 50
	var wg sync.WaitGroup
	a := openBus(t, "a", s.ClientURL())
	if _, err := a.Put(t.Context(), "n", []byte{0, 0}, 0); err != nil {
		t.Fatal(err)
	}
	for i := range writers {
		b := openBus(t, fmt.Sprint("w", i), s.ClientURL())
		wg.Go(func() {
			for done := 0; done < each; {
				v, rev, err := b.Get(t.Context(), "n")
				if err != nil {
					t.Error(err)
					return
				}
				n := int(v[0]) + int(v[1])<<8 + 1
				_, err = b.Renew(t.Context(), "n", []byte{byte(n), byte(n >> 8)}, rev, time.Hour)
				switch {
				case err == nil:
					done++
				case !errors.Is(err, kaijutsu.ErrConflict):
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	v, _, err := a.Get(t.Context(), "n")
	if got := int(v[0]) + int(v[1])<<8; err != nil || got != writers*each {
		t.Errorf("counted to %d, %v, want %d: an update was lost", got, err, writers*each)
	}
}

func TestKeysOutliveAWipedNATS(t *testing.T) {
	t.Parallel()
	s := startNATS(t, serverOptions())
	a, b, ctx := openBus(t, "a", s.ClientURL()), openBus(t, "b", s.ClientURL()), t.Context()
	rev, err := a.Put(ctx, "seat.anna", []byte("1"), 0)
	if err != nil {
		t.Fatal(err)
	}
	a.Put(ctx, "seat.bert", []byte("2"), 0)
	w := watchKeys(t, b, "seat.")
	w.expect(t, "begin", "+seat.anna=1", "+seat.bert=2", "end")
	s.wipe()
	connected(t, a, true)
	until(t, "a key can be written again", func() bool {
		_, err := a.Put(ctx, "seat.bert", []byte("3"), 0)
		return err == nil
	})
	told := w.upTo(t, "+seat.bert=3")
	if !slices.Contains(told, "-seat.anna") {
		told = append(told, w.upTo(t, "-seat.anna")...)
	}
	if !slices.Contains(told, "begin") {
		t.Errorf("told %v, want a replay", told)
	}
	if _, err := a.Renew(ctx, "seat.anna", nil, rev, 0); !errors.Is(err, kaijutsu.ErrConflict) {
		t.Errorf("renew what was wiped = %v, want conflict", err)
	}
}

func TestForeignKeys(t *testing.T) {
	s := startNATS(t, serverOptions())
	b := openBus(t, "b", s.ClientURL())
	w := watchKeys(t, b, "")
	w.expect(t, "begin", "end")
	nc := rawConn(t, s.ClientURL())
	kv := func() jetstream.KeyValue {
		js, err := jetstream.New(nc)
		if err != nil {
			t.Fatal(err)
		}
		kv, err := js.KeyValue(t.Context(), "KJ_test")
		if err != nil {
			t.Fatalf("the library of NATS cannot open the bucket: %v", err)
		}
		return kv
	}()
	if _, err := kv.Put(t.Context(), "theirs", []byte("x")); err != nil {
		t.Fatal(err)
	}
	w.expect(t, "+theirs=x")
	if err := kv.Delete(t.Context(), "theirs"); err != nil {
		t.Fatal(err)
	}
	w.expect(t, "-theirs")
	if _, err := nc.RequestMsg(&nats.Msg{Subject: "$KV.KJ_test.a*b", Data: []byte("x")}, patience); err == nil {
		if _, err := b.Keys(t.Context(), ""); err != nil {
			t.Errorf("keys beside one that is none: %v", err)
		}
	}
}
