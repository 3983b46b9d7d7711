package amfile

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"sync"
	"testing"
	"time"

	"kaijutsu"
)

// typing returns a history of n changes of one operation each after a first
// one: two authors type into one text, move about and delete now and then.
func typing(tb testing.TB, n int) []*Change {
	r := rand.New(rand.NewPCG(1, 2))
	authors := [2]kaijutsu.ActorID{"0123456789abcdef", "fedcba9876543210"}
	seqs := [2]uint64{1, 0}
	first := &Change{
		Actors: authors[:1], Seq: 1, StartOp: 1, Time: 1700000000,
		Ops: []Op{{Action: MakeText, Key: "text"}},
	}
	if err := EncodeChange(first); err != nil {
		tb.Fatal(err)
	}
	changes := append(make([]*Change, 0, n+1), first)
	visible := []GlobalID{} // in no order but that of typing
	var cursor GlobalID
	for i := range n {
		who := min(1, r.IntN(8))
		seqs[who]++
		c := &Change{
			Actors: []kaijutsu.ActorID{authors[who], authors[1-who]},
			Deps:   []kaijutsu.ChangeHash{changes[i].Hash},
			Seq:    seqs[who], StartOp: uint64(i) + 2, Time: 1700000000 + int64(i)/3,
		}
		local := func(id GlobalID) OpID {
			if id.Actor == authors[who] || id.Counter == 0 {
				return OpID{Counter: id.Counter}
			}
			return OpID{id.Counter, 1}
		}
		text := local(GlobalID{1, authors[0]})
		if k := len(visible); k > 0 && r.IntN(20) == 0 {
			at := max(0, k-1-r.IntN(100))
			id := local(visible[at])
			visible = append(visible[:at], visible[at+1:]...)
			c.Ops = []Op{{Action: Delete, Obj: text, Seq: true, Elem: id, Pred: []OpID{id}}}
		} else {
			if k > 0 && r.IntN(40) == 0 {
				cursor = visible[r.IntN(k)]
			}
			c.Ops = []Op{{
				Action: Put, Obj: text, Seq: true, Elem: local(cursor), Insert: true,
				Value: StringValue(string(rune('a' + r.IntN(26)))),
			}}
			cursor = GlobalID{c.StartOp, authors[who]}
			visible = append(visible, cursor)
		}
		if err := EncodeChange(c); err != nil {
			tb.Fatal(err)
		}
		changes = append(changes, c)
	}
	return changes
}

var typingSizes = []int{20_000, 260_000}

// typed returns typing(n) and its document, made once.
var typed = func() func(tb testing.TB, n int) ([]*Change, []byte) {
	var mu sync.Mutex
	histories, documents := map[int][]*Change{}, map[int][]byte{}
	return func(tb testing.TB, n int) ([]*Change, []byte) {
		mu.Lock()
		defer mu.Unlock()
		if histories[n] == nil {
			histories[n] = typing(tb, n)
			chunk, err := EncodeDocument(histories[n])
			if err != nil {
				tb.Fatal(err)
			}
			documents[n] = chunk
		}
		return histories[n], documents[n]
	}
}()

func BenchmarkDecodeDocument(b *testing.B) {
	for _, n := range typingSizes {
		b.Run(fmt.Sprintf("changes=%d", n), func(b *testing.B) {
			_, chunk := typed(b, n)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := DecodeDocument(chunk); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "changes/s")
		})
	}
}

func BenchmarkEncodeDocument(b *testing.B) {
	for _, n := range typingSizes {
		b.Run(fmt.Sprintf("changes=%d", n), func(b *testing.B) {
			changes, chunk := typed(b, n)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := EncodeDocument(changes); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "changes/s")
			b.ReportMetric(float64(len(chunk)), "document-bytes")
		})
	}
}

// BenchmarkDocumentMemory tells what the changes of a document take while they
// are held, and how much of that their chunks are.
func BenchmarkDocumentMemory(b *testing.B) {
	for _, n := range typingSizes {
		b.Run(fmt.Sprintf("changes=%d", n), func(b *testing.B) {
			_, chunk := typed(b, n)
			for b.Loop() {
				before := heap()
				changes, err := DecodeDocument(chunk)
				if err != nil {
					b.Fatal(err)
				}
				held := heap() - before
				raw := 0
				for _, c := range changes {
					raw += len(c.Raw)
				}
				b.ReportMetric(float64(held)/float64(n), "held-B/change")
				b.ReportMetric(float64(raw)/float64(n), "raw-B/change")
			}
		})
	}
}

// TestLongestHistoryInJavaScript lets JavaScript open a document of 260,000
// changes that was put together here.
func TestLongestHistoryInJavaScript(t *testing.T) {
	if os.Getenv("KJ_FULL") == "" {
		t.Skip("takes a while: set KJ_FULL=1")
	}
	changes, chunk := typed(t, 260_000)
	var got struct {
		Error string
		Heads []string
		Texts []struct{ Text string }
	}
	if err := json.Unmarshal(startLoader(t).load(chunk), &got); err != nil {
		t.Fatal(err)
	}
	want := changes[len(changes)-1].Hash.String()
	if got.Error != "" || len(got.Heads) != 1 || got.Heads[0] != want || len(got.Texts) != 1 {
		t.Errorf("JavaScript says %q, heads %v, %d texts, want head %s and one text", got.Error, got.Heads, len(got.Texts), want)
	}
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestLongHistory takes a long history apart and puts it together; it fails
// when the time is out of proportion.
func TestLongHistory(t *testing.T) {
	n := 20_000
	changes, chunk := typed(t, n)
	began := time.Now()
	again, err := DecodeDocument(chunk)
	if err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took > 30*time.Second {
		t.Errorf("DecodeDocument of %d changes took %v", n, took)
	}
	if len(again) != len(changes) {
		t.Fatalf("%d changes, want %d", len(again), len(changes))
	}
	for i := range again {
		if again[i].Hash != changes[i].Hash {
			t.Fatalf("change %d: hash %s, want %s", i, again[i].Hash, changes[i].Hash)
		}
	}
}
