package server

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// text is the answer of /readyz in lines.
func (r readiness) text(verbose bool) string {
	var b strings.Builder
	if verbose {
		for _, st := range r.stages {
			mark := "[-]"
			if st.open {
				mark = "[+]"
			}
			fmt.Fprintf(&b, "%s %-6s %s\n", mark, st.name, st.words())
		}
	}
	if r.ok() {
		b.WriteString("ready\n")
	} else {
		fmt.Fprintf(&b, "not ready: %s\n", r.why)
	}
	return b.String()
}

func (s stageState) words() string {
	took := s.took.Round(100 * time.Microsecond)
	switch {
	case s.open:
		return fmt.Sprintf("open after %v", took)
	case took > 0:
		return fmt.Sprintf("opening for %v", took)
	}
	return "not opened yet"
}

// json is the answer of /readyz to programs; times are in milliseconds.
func (r readiness) json(after time.Duration) string {
	type stage struct {
		Name   string  `json:"name"`
		Open   bool    `json:"open"`
		TookMS float64 `json:"took_ms"`
	}
	out := struct {
		Ready   bool    `json:"ready"`
		State   string  `json:"state"`
		Reason  string  `json:"reason,omitempty"`
		Stages  []stage `json:"stages"`
		ReadyMS float64 `json:"ready_ms,omitempty"` // from the start
	}{Ready: r.ok(), State: r.phase.String(), Reason: r.why, Stages: []stage{}, ReadyMS: inMillis(after)}
	for _, st := range r.stages {
		out.Stages = append(out.Stages, stage{st.name, st.open, inMillis(st.took)})
	}
	b, _ := json.Marshal(out) // strings, numbers and booleans always encode
	return string(b) + "\n"
}

// inMillis is a duration in milliseconds, to a tenth.
func inMillis(d time.Duration) float64 {
	return float64(d.Round(100*time.Microsecond).Microseconds()) / 1000
}
