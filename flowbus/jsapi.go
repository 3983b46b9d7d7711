package flowbus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"kaijutsu"
)

// apiTimeout bounds one request to JetStream. A cluster without a leader
// answers nothing for up to 9 s; who needs to go on tries again.
const apiTimeout = 5 * time.Second

// Error codes of the JetStream API (nats-server, server/errors.json).
const (
	codeNoPeers        = 10005
	codeNoMessage      = 10037
	codeNoResources    = 10023
	codeNoMemory       = 10028
	codeNotForAccount  = 10039
	codeNoStorage      = 10047
	codeStreamNotFound = 10059
	codeOverlap        = 10065
	codeWrongSequence  = 10071
	codeNoReplicas     = 10074
	codeDisabled       = 10076
)

// storeAck is what a stream says of a message it was given.
type storeAck struct {
	Stream    string `json:"stream"`
	Seq       uint64 `json:"seq"`
	Duplicate bool   `json:"duplicate"`
	Error     *struct {
		ErrCode     int    `json:"err_code"`
		Description string `json:"description"`
	} `json:"error"`
}

// errNoStream says that no stream took a message: it is gone, or has no leader.
var errNoStream = errors.New("no stream takes it")

// parseAck reads what a stream said; the stream must be the one that is meant.
func parseAck(m *nats.Msg, stream string) (storeAck, error) {
	var a storeAck
	if s := first(m, headerStatus); s != "" {
		return a, fmt.Errorf("%w: %w", kaijutsu.ErrUnavailable, errNoStream)
	}
	if err := json.Unmarshal(m.Data, &a); err != nil {
		return a, fmt.Errorf("unreadable acknowledgement: %w: %v", kaijutsu.ErrUnavailable, err)
	}
	switch {
	case a.Error != nil && a.Error.ErrCode == codeWrongSequence:
		return a, fmt.Errorf("%w: %s", kaijutsu.ErrConflict, a.Error.Description)
	case a.Error != nil:
		return a, fmt.Errorf("%w: %s", kaijutsu.ErrUnavailable, a.Error.Description)
	case a.Stream != stream || a.Seq == 0:
		return a, fmt.Errorf("the stream %q took it, which should be %q: %w", a.Stream, stream, kaijutsu.ErrUnavailable)
	}
	return a, nil
}

// request sends a message and waits for one that comes back.
func (b *Bus) request(ctx context.Context, m *nats.Msg) (*nats.Msg, error) {
	call, cancel := b.link.while(ctx, apiTimeout)
	defer cancel()
	r, err := b.nc.RequestMsgWithContext(call, m)
	switch {
	case errors.Is(err, nats.ErrNoResponders) && !strings.HasPrefix(m.Subject, "$JS.API."):
		return nil, fmt.Errorf("%w: %w", kaijutsu.ErrUnavailable, errNoStream)
	case err != nil:
		return nil, b.failed(ctx, err)
	}
	b.hasJetStream()
	return r, nil
}

// failed turns an error of the NATS client, of a request to JetStream itself,
// into one of ours. ctx is the caller's.
func (b *Bus) failed(ctx context.Context, err error) error {
	var api *jetstream.APIError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, context.Canceled):
		return fmt.Errorf("the connection to NATS changed: %w", kaijutsu.ErrUnavailable)
	case errors.Is(err, context.DeadlineExceeded):
		if b.problems.set("jetstream", "JetStream does not answer: its cluster has no leader now, or this node is cut off from most of it; until it does, nodes hear each other only live") {
			b.wake()
		}
		return fmt.Errorf("JetStream did not answer within %v: %w", apiTimeout, kaijutsu.ErrUnavailable)
	case errors.As(err, &api) && (api.ErrorCode == codeNotForAccount || api.ErrorCode == codeDisabled),
		errors.Is(err, nats.ErrNoResponders), errors.Is(err, jetstream.ErrJetStreamNotEnabled), errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount):
		if b.problems.set("jetstream", "the NATS server has no JetStream for this account: start it with -js, or enable it in the account") {
			b.wake()
		}
		return fmt.Errorf("NATS has no JetStream: %w", kaijutsu.ErrUnavailable)
	}
	return fmt.Errorf("%w: %w", kaijutsu.ErrUnavailable, err)
}

// storedMessage is one message that a stream holds.
type storedMessage struct {
	Subject string    `json:"subject"`
	Seq     uint64    `json:"seq"`
	Header  []byte    `json:"hdrs"`
	Data    []byte    `json:"data"`
	Time    time.Time `json:"time"`
}

// header returns the message's headers.
func (s *storedMessage) header() nats.Header {
	h, err := nats.DecodeHeadersMsg(s.Header)
	if err != nil {
		return nats.Header{}
	}
	return h
}

// errStreamGone says that there is no such stream.
var errStreamGone = errors.New("the stream is gone")

// read asks the leader of a stream for a message: by its sequence number, or,
// with 0, the last one on a subject. Replicas are not asked, because they may
// be behind. ErrNotFound: there is no such message, or no such stream (then
// also errStreamGone).
func (b *Bus) read(ctx context.Context, stream string, seq uint64, subject string) (*storedMessage, error) {
	query := nats.NewMsg("$JS.API.STREAM.MSG.GET." + stream)
	var err error
	query.Data, err = json.Marshal(struct {
		Seq  uint64 `json:"seq,omitempty"`
		Last string `json:"last_by_subj,omitempty"`
	}{seq, subject})
	if err != nil {
		return nil, err
	}
	r, err := b.request(ctx, query)
	if err != nil {
		return nil, err
	}
	var answer struct {
		Message *storedMessage      `json:"message"`
		Error   *jetstream.APIError `json:"error"`
	}
	if err := json.Unmarshal(r.Data, &answer); err != nil {
		return nil, fmt.Errorf("unreadable answer of JetStream: %w: %v", kaijutsu.ErrUnavailable, err)
	}
	switch {
	case answer.Error != nil && answer.Error.ErrorCode == codeNoMessage:
		return nil, kaijutsu.ErrNotFound
	case answer.Error != nil && answer.Error.ErrorCode == codeStreamNotFound:
		return nil, fmt.Errorf("%w: %w", kaijutsu.ErrNotFound, errStreamGone)
	case answer.Error != nil:
		return nil, b.failed(ctx, answer.Error)
	case answer.Message == nil:
		return nil, fmt.Errorf("empty answer of JetStream: %w", kaijutsu.ErrUnavailable)
	}
	return answer.Message, nil
}
