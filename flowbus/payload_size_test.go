package flowbus_test

import (
	"strings"
	"testing"
)

func TestANATSThatTakesSmallMessagesIsAProblem(t *testing.T) {
	opts := serverOptions()
	opts.MaxPayload = 64 << 10
	s := startNATS(t, opts)
	b := openBus(t, "n1", s.ClientURL())
	problems := b.State().Problems
	if len(problems) != 1 || !strings.Contains(problems[0], "max_payload") || !strings.Contains(problems[0], "65536") {
		t.Errorf("problems = %q, want that max_payload is 65536 bytes, too few", problems)
	}
}

func TestThePasswordOfAnAddressIsNotTold(t *testing.T) {
	b := openBus(t, "n1", "nats://amy:s3cret@127.0.0.1:1")
	state := b.State()
	if state.Connected || !strings.Contains(state.Server, "127.0.0.1:1") || strings.Contains(state.Server+strings.Join(state.Problems, " "), "s3cret") {
		t.Errorf("state = %+v, want the address that is tried, without the password", state)
	}
}
