package changegraph

import (
	"bufio"
	"encoding/binary"
	"flag"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"testing"

	"kaijutsu"
	"kaijutsu/internal/amfile"
)

var (
	jsRuns = flag.Int("js-runs", 250, "random runs of TestSyncWithJavaScript")
	jsSeed = flag.Uint64("js-seed", 0, "seed of the first of them")
)

// interopDir holds the npm packages and the scripts that use them.
const interopDir = "../interop"

// needNode skips the test where Node or the npm packages are missing, unless
// KJ_REQUIRE_NODE is set: then they must be there.
func needNode(t testing.TB) {
	t.Helper()
	_, err := exec.LookPath("node")
	if err == nil {
		_, err = os.Stat(interopDir + "/node_modules/@automerge/automerge")
	}
	switch {
	case err == nil:
	case os.Getenv("KJ_REQUIRE_NODE") != "":
		t.Fatal(err)
	default:
		t.Skipf("needs Node and `npm ci` in internal/interop: %v", err)
	}
}

// jsPeers talks to replicas of the stock library in a Node process.
type jsPeers struct {
	t   testing.TB
	in  *bufio.Writer
	out *bufio.Reader
}

func startJS(t testing.TB) *jsPeers {
	t.Helper()
	needNode(t)
	cmd := exec.Command("node", "syncpeer.mjs")
	cmd.Dir = interopDir
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil && !t.Failed() {
			t.Errorf("node: %v", err)
		}
	})
	return &jsPeers{t, bufio.NewWriter(in), bufio.NewReader(out)}
}

// ask sends a request of internal/interop/syncpeer.mjs and returns its reply.
func (p *jsPeers) ask(replica byte, letter byte, arg []byte) []byte {
	p.t.Helper()
	binary.Write(p.in, binary.LittleEndian, uint32(2+len(arg)))
	p.in.WriteByte(replica)
	p.in.WriteByte(letter)
	p.in.Write(arg)
	if err := p.in.Flush(); err != nil {
		p.t.Fatalf("ask %c of node: %v", letter, err)
	}
	var size uint32
	if err := binary.Read(p.out, binary.LittleEndian, &size); err != nil {
		p.t.Fatalf("ask %c of node: %v", letter, err)
	}
	reply := make([]byte, size)
	if _, err := io.ReadFull(p.out, reply); err != nil {
		p.t.Fatalf("ask %c of node: %v", letter, err)
	}
	return reply
}

func (p *jsPeers) heads(replica byte) kaijutsu.Heads {
	return toHashes(p.ask(replica, 'h', nil))
}

func toHashes(b []byte) kaijutsu.Heads {
	var h kaijutsu.Heads
	for ; len(b) > 0; b = b[32:] {
		h = append(h, kaijutsu.ChangeHash(b))
	}
	return h
}

// spoke is the connection between the hub, a graph, and a stock replica.
type spoke struct {
	id       byte
	state    *SyncState
	up, down [][]byte // frames to the hub and to the replica
	plain    bool     // the replica is one of before the trailer
	readOnly bool     // its changes are ignored for the time being
	reader   bool     // they were at some time
}

// hub is a graph with stock replicas around it: the server's situation.
type hub struct {
	t      testing.TB
	seed   uint64
	r      *rand.Rand
	js     *jsPeers
	w      *writer
	spokes []*spoke
	whole  int // version 2 messages sent
}

func newHub(t testing.TB, js *jsPeers, seed uint64) *hub {
	h := &hub{t: t, seed: seed, r: rand.New(rand.NewPCG(seed, 2)), js: js, w: newWriter(t, actorID(int(seed)))}
	for i := range 1 + h.r.IntN(3) {
		s := &spoke{id: byte(i), state: NewSyncState(), plain: h.r.IntN(3) == 0}
		js.ask(s.id, 'n', nil)
		h.spokes = append(h.spokes, s)
	}
	return h
}

func (h *hub) fatalf(format string, args ...any) {
	h.t.Helper()
	h.t.Fatalf("seed %d: "+format, append([]any{h.seed}, args...)...)
}

// hubSpeaks generates for one spoke. A server speaks when it was spoken to.
func (h *hub) hubSpeaks(s *spoke) bool {
	if !s.state.heard {
		return false
	}
	data, ok := h.w.g.Generate(s.state)
	if ok {
		if data[0] == 0x43 {
			h.whole++
		}
		s.down = append(s.down, data)
	}
	return ok
}

func (h *hub) jsSpeaks(s *spoke) bool {
	data := h.js.ask(s.id, 'g', nil)
	if len(data) == 0 {
		return false
	}
	if s.plain {
		m, err := amfile.DecodeSync(data)
		if err != nil {
			h.fatalf("decode a message of JavaScript: %v", err)
		}
		m.Flags = nil
		data = m.Encode()
	}
	s.up = append(s.up, data)
	return true
}

func (h *hub) hubHears(s *spoke) bool {
	if len(s.up) == 0 {
		return false
	}
	before := h.w.g.Len()
	got := h.w.receive(s.state, s.up[0], ReceiveOptions{ReadOnly: s.readOnly})
	s.up = s.up[1:]
	if len(got.Refused) > 0 && !s.readOnly {
		h.fatalf("refused %v", got.Refused)
	}
	if len(got.Added) > 0 && s.readOnly {
		h.fatalf("added %d changes of a reader", len(got.Added))
	}
	if len(got.Added) > 0 && h.r.IntN(20) == 0 { // the disk refuses
		h.w.g.Truncate(before)
		h.w.reread()
		got.Added = nil
	}
	for _, other := range h.spokes {
		if other == s || len(got.Added) > 0 && h.r.IntN(2) == 0 {
			h.hubSpeaks(other)
		}
	}
	return true
}

func (h *hub) jsHears(s *spoke) bool {
	if len(s.down) == 0 {
		return false
	}
	h.js.ask(s.id, 'r', s.down[0])
	s.down = s.down[1:]
	h.jsSpeaks(s)
	return true
}

func (h *hub) jsEdits(s *spoke) {
	h.js.ask(s.id, 'e', binary.LittleEndian.AppendUint32(nil, h.r.Uint32()))
	if h.r.IntN(3) > 0 {
		h.jsSpeaks(s)
	}
}

// reconnect cuts a connection; what was on its way is lost.
func (h *hub) reconnect(s *spoke) {
	s.up, s.down = nil, nil
	resumed := byte(h.r.IntN(2))
	h.js.ask(s.id, 's', []byte{resumed})
	if h.r.IntN(4) == 0 {
		s.state = ResumeSyncState(s.state.Shared())
	} else {
		s.state = NewSyncState()
	}
	h.jsSpeaks(s)
}

func (h *hub) step() {
	s := h.spokes[h.r.IntN(len(h.spokes))]
	switch n := h.r.IntN(40); {
	case n < 8:
		h.jsEdits(s)
	case n < 12:
		h.w.edit(h.r)
	case n < 16:
		h.hubSpeaks(s)
	case n < 20:
		h.jsSpeaks(s)
	case n < 27:
		h.hubHears(s)
	case n < 34:
		h.jsHears(s)
	case n < 35:
		h.js.ask(s.id, 'k', nil)
	case n < 36:
		h.w.g.SetSnapshot(documentOf(h.t, h.w.g), h.w.g.Len())
	case n < 37:
		h.reconnect(s)
	case n < 38:
		// The client lets go of the document and asks for it again, on the
		// same connection; what is on its way still arrives.
		h.js.ask(s.id, 'n', nil)
		h.jsSpeaks(s)
	case n < 39:
		h.js.ask(s.id, 'l', nil) // a restart from disk
		h.reconnect(s)
	default:
		s.readOnly, s.reader = !s.readOnly, true
	}
}

func (h *hub) settle() {
	for _, s := range h.spokes {
		s.readOnly = false
		if s.reader { // it may write again: noticed when it next says something
			for before := h.js.heads(s.id); h.js.heads(s.id).Equal(before); {
				h.jsEdits(s)
			}
		}
		h.jsSpeaks(s)
	}
	for round := 0; ; round++ {
		busy := false
		for _, s := range h.spokes {
			for h.hubHears(s) {
				busy = true
			}
			for h.jsHears(s) {
				busy = true
			}
			busy = h.hubSpeaks(s) || busy
			busy = h.jsSpeaks(s) || busy
		}
		if !busy {
			return
		}
		if round > 20 {
			h.fatalf("still talking after %d rounds", round)
		}
	}
}

func (h *hub) check() {
	h.t.Helper()
	for _, s := range h.spokes {
		if got, want := h.js.heads(s.id), h.w.g.Heads(); !got.Equal(want) {
			h.fatalf("replica %d has heads %v, the hub %v", s.id, got, want)
		}
		all := h.js.ask(s.id, 'a', nil)
		n := 0
		for ; len(all) > 0; n++ {
			size := binary.LittleEndian.Uint32(all)
			c, err := amfile.DecodeHeader(all[4 : 4+size])
			if err != nil || !h.w.g.Has(c.Hash) {
				h.fatalf("replica %d has change %v (%v), the hub has not", s.id, c.Hash, err)
			}
			all = all[4+size:]
		}
		if n != h.w.g.Len() {
			h.fatalf("replica %d has %d changes, the hub %d", s.id, n, h.w.g.Len())
		}
	}
}

// TestSyncWithJavaScript lets a graph and replicas of the stock library edit
// and talk at random, with messages that cross, connections that break, and
// clients that lose their document or their sync state.
func TestSyncWithJavaScript(t *testing.T) {
	js := startJS(t)
	runs, whole := *jsRuns, 0
	for run := range uint64(runs) {
		seed := *jsSeed + run
		h := newHub(t, js, seed)
		for range 10 + h.r.IntN(80) {
			h.step()
		}
		h.settle()
		h.check()
		whole += h.whole
	}
	if whole < runs/10 {
		t.Errorf("%d version 2 messages in %d runs, want more", whole, runs)
	}
}
