package torture

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/coder/websocket"

	"kaijutsu"
	"kaijutsu/internal/amfile"
	"kaijutsu/internal/wire"
)

// crashers are inputs that abort, hang or blow up a released engine: changes_
// and inc_ are change chunks, load_ document chunks, msg_ and recv_ sync
// messages.
//
//go:embed testdata/crashers/*
var crashers embed.FS

// samples returns the crashers by name.
var samples = sync.OnceValue(func() map[string][]byte {
	all := make(map[string][]byte)
	const dir = "testdata/crashers"
	entries, err := crashers.ReadDir(dir)
	if err != nil {
		panic(err) // they are in the binary
	}
	for _, e := range entries {
		b, err := crashers.ReadFile(dir + "/" + e.Name())
		if err != nil {
			panic(err)
		}
		all[e.Name()] = b
	}
	return all
})

func (v *villain) joinFrame() []byte {
	return wire.Encode(wire.Join{SenderID: fmt.Sprintf("villain-%x", v.random.Uint64()), Versions: []string{wire.Version}})
}

func (v *villain) requestFrame(t *target) []byte {
	data := (&amfile.SyncMessage{Version: 1, Have: []amfile.Have{{}}}).Encode()
	return wire.Encode(wire.Request{SenderID: "villain", TargetID: "server", DocumentID: t.doc.String(), Data: data})
}

// join returns a connection that has joined, nil when there is none to be had.
func (v *villain) join(ctx context.Context) *peer {
	conn, _, err := websocket.Dial(ctx, v.node.syncURL(v.token), &websocket.DialOptions{HTTPClient: v.client(), CompressionMode: websocket.CompressionContextTakeover, CompressionThreshold: 64})
	if err != nil {
		return nil
	}
	conn.SetReadLimit(maxFrameBytes)
	p := &peer{conn: conn, id: fmt.Sprintf("villain-%x", v.random.Uint64()), server: "server"}
	if p.write(ctx, wire.Join{SenderID: p.id, Versions: []string{wire.Version}}) != nil {
		p.close()
		return nil
	}
	if _, err := p.read(ctx); err != nil {
		p.close()
		return nil
	}
	return p
}

// malformed sends messages of which some bytes are others.
func (v *villain) malformed(ctx context.Context) {
	p := v.join(ctx)
	if p == nil {
		return
	}
	defer p.close()
	doc := v.scratch.doc.String()
	for range 30 {
		frames := [][]byte{
			wire.Encode(wire.Sync{SenderID: p.id, TargetID: p.server, DocumentID: doc, Data: v.bytes(1 + v.random.IntN(200))}),
			wire.Encode(wire.Request{SenderID: p.id, TargetID: p.server, DocumentID: doc, Data: (&amfile.SyncMessage{Version: 1}).Encode()}),
			wire.Encode(wire.SubscriptionChange{SenderID: p.id, TargetID: p.server, Add: []string{"x"}}),
			wire.Encode(wire.HeadsChanged{SenderID: p.id, TargetID: p.server, DocumentID: doc}),
		}
		frame := frames[v.random.IntN(len(frames))]
		for range 1 + v.random.IntN(4) {
			frame[v.random.IntN(len(frame))] = byte(v.random.Uint32())
		}
		if p.conn.Write(ctx, websocket.MessageBinary, frame[:1+v.random.IntN(len(frame))]) != nil {
			return
		}
	}
}

// oversized sends frames that are, or say that they are, larger than allowed.
func (v *villain) oversized(ctx context.Context) {
	conn := v.upgrade(ctx, v.token, "")
	if conn == nil {
		return
	}
	defer conn.Close()
	if v.random.IntN(2) == 0 {
		_, _ = conn.Write(frameOf(0x82, v.joinFrame()))
	}
	if v.random.IntN(2) == 0 { // of which only the first bytes come
		head := binary.BigEndian.AppendUint64([]byte{0x82, 0xff}, 1<<40)
		_, _ = conn.Write(append(append(head, 0, 0, 0, 0), make([]byte, 64<<10)...))
		<-ctx.Done()
		return
	}
	head := binary.BigEndian.AppendUint64([]byte{0x82, 0xff}, 100<<20)
	_, _ = conn.Write(append(head, 0, 0, 0, 0))
	for range 100 << 4 {
		if _, err := conn.Write(make([]byte, 64<<10)); err != nil || ctx.Err() != nil {
			return
		}
	}
}

// carry is a sync message with a chunk as its change.
func carry(chunk []byte) []byte {
	hash := sha256.Sum256(chunk[min(len(chunk), 8):])
	m := amfile.SyncMessage{Version: 1, Heads: []kaijutsu.ChangeHash{hash}, Have: []amfile.Have{{}}, Changes: [][]byte{chunk}}
	return m.Encode()
}

// poison sends what crashes engines: to its own document, and to those of
// others, where nothing of it may be taken.
func (v *villain) poison(ctx context.Context) {
	p := v.join(ctx)
	if p == nil {
		return
	}
	defer p.close()
	for name, sample := range samples() {
		doc := v.scratch.doc
		if v.random.IntN(2) == 0 {
			doc = v.docs[v.random.IntN(len(v.docs))].doc
		}
		data := sample
		if !strings.HasPrefix(name, "msg_") && !strings.HasPrefix(name, "recv_") {
			data = carry(sample)
		}
		if p.syncRaw(ctx, doc, data) != nil {
			return // five documents are refused, then it is cut off
		}
	}
}

// zeros are one and a half GB of them, deflated: what a MiB becomes that comes
// behind another, again and again.
var zeros = sync.OnceValue(func() []byte {
	var b bytes.Buffer
	w, _ := flate.NewWriter(&b, flate.BestCompression)
	part := func() []byte {
		b.Reset()
		_, _ = w.Write(make([]byte, 1<<20)) // to memory
		_ = w.Flush()
		return bytes.Clone(b.Bytes())
	}
	out := part()
	next := part()
	for range 1500 {
		out = append(out, next...)
	}
	b.Reset()
	_ = w.Close()
	return append(out, b.Bytes()...)
})

// nothing reads as zeros without end.
type nothing struct{}

func (nothing) Read(b []byte) (int, error) { clear(b); return len(b), nil }

// bombs sends little that would become very much: a deflated change, a
// deflated column, a compressed frame, a compressed body, runs of billions.
func (v *villain) bombs(ctx context.Context) {
	switch v.random.IntN(4) {
	case 0:
		v.sendChunk(ctx, deflatedChunk(zeros()))
	case 1:
		for name, sample := range samples() {
			if strings.Contains(name, "bomb") || strings.HasPrefix(name, "msg_") {
				v.sendChunk(ctx, sample)
			}
		}
	case 2:
		if p := v.join(ctx); p != nil { // the client compresses it
			_ = p.syncRaw(ctx, v.scratch.doc, make([]byte, 80<<20))
			p.close()
		}
	case 3:
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		_, _ = io.CopyN(w, nothing{}, 64<<20)
		_ = w.Close()
		v.post(ctx, "/v1/ops/context_list", b.Bytes(), "Content-Encoding", "gzip")
	}
}

// deflatedChunk frames a deflated body as a change chunk. Its checksum is that of
// what it inflates to, which nobody can know without inflating it: so it is
// wrong.
func deflatedChunk(body []byte) []byte {
	chunk := append([]byte{0x85, 0x6f, 0x4a, 0x83, 1, 2, 3, 4, 2}, binary.AppendUvarint(nil, uint64(len(body)))...)
	return append(chunk, body...)
}

func (v *villain) sendChunk(ctx context.Context, chunk []byte) {
	if p := v.join(ctx); p != nil {
		defer p.close()
		_ = p.syncRaw(ctx, v.scratch.doc, carry(chunk))
		_, _ = p.read(ctx) // why it is refused, or the end
	}
}

// ephemeral sends more messages than anybody can read.
func (v *villain) ephemeral(ctx context.Context) {
	p := v.join(ctx)
	if p == nil {
		return
	}
	defer p.close()
	doc := v.targets[0].doc
	_ = p.write(ctx, wire.Request{SenderID: p.id, TargetID: p.server, DocumentID: doc.String(), Data: (&amfile.SyncMessage{Version: 1, Have: []amfile.Have{{}}}).Encode()})
	payload := append([]byte{0x59, 0x10, 0x00}, make([]byte, 4096)...) // one byte string
	for i := range uint64(3000) {
		m := wire.Ephemeral{SenderID: p.id, TargetID: p.server, DocumentID: doc.String(), SessionID: p.id, Count: i + 1, Data: payload}
		if p.write(ctx, m) != nil {
			return
		}
	}
}

// post calls something over HTTP and reads a little of the answer.
func (v *villain) post(ctx context.Context, path string, body []byte, header ...string) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, v.node.url()+path, bytes.NewReader(body))
	if err != nil {
		return
	}
	req.Header.Set("Authorization", "Bearer "+v.token)
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	client := v.client()
	defer client.CloseIdleConnections()
	resp, err := client.Do(req)
	if err != nil {
		return
	}
	_, _ = io.CopyN(io.Discard, resp.Body, 1<<20)
	resp.Body.Close()
}

// badCalls calls operations as nobody should.
func (v *villain) badCalls(ctx context.Context) {
	switch v.random.IntN(6) {
	case 0:
		v.post(ctx, "/v1/ops/block_create", []byte(strings.Repeat("[", 100_000)))
	case 1:
		v.post(ctx, "/v1/ops/block_create", bytes.Repeat([]byte(`{"a":`), 50_000))
	case 2:
		v.post(ctx, "/v1/ops/block_create", append([]byte(`{"context":"`+v.scratch.id+`","content":"`), make([]byte, 40<<20)...))
	case 3:
		v.post(ctx, "/mcp", v.bytes(10_000))
	case 4:
		v.post(ctx, "/v1/ops/"+strings.Repeat("x", 10_000), nil)
	case 5:
		v.post(ctx, "/v1/ops/block_list", []byte(`{"context":"`+v.scratch.id+`","limit":99999999999999999999,"cursor":"`+strings.Repeat("9", 10_000)+`"}`))
	}
}
