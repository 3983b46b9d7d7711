package main

import (
	"errors"
	"strings"
	"testing"
	"testing/iotest"
)

func TestRun(t *testing.T) {
	tests := []struct {
		name   string
		events string
		want   counts
		says   []string
	}{
		{"nothing", "", counts{}, nil},
		{"test and subtests count one each", `
{"Action":"start","Package":"kaijutsu/a"}
{"Action":"run","Package":"kaijutsu/a","Test":"TestX"}
{"Action":"output","Package":"kaijutsu/a","Test":"TestX/one","Output":"noise\n"}
{"Action":"pass","Package":"kaijutsu/a","Test":"TestX/one"}
{"Action":"skip","Package":"kaijutsu/a","Test":"TestX/two"}
{"Action":"pass","Package":"kaijutsu/a","Test":"TestX"}
{"Action":"pass","Package":"kaijutsu/a","Elapsed":1.5}`,
			counts{passed: 2, skipped: 1}, []string{"skip kaijutsu/a TestX/two: no reason given", "3 tests     1.5 s"}},
		{"failure with its output, skip with its reason", `
{"Action":"output","Package":"kaijutsu/a","Test":"TestX","Output":"=== RUN   TestX\n"}
{"Action":"output","Package":"kaijutsu/a","Test":"TestX","Output":"    x_test.go:3: got 1, want 2\n"}
{"Action":"fail","Package":"kaijutsu/a","Test":"TestX"}
{"Action":"output","Package":"kaijutsu/a","Test":"TestY","Output":"    y_test.go:3: node is not installed\n"}
{"Action":"output","Package":"kaijutsu/a","Test":"TestY","Output":"--- SKIP: TestY (0.00s)\n"}
{"Action":"skip","Package":"kaijutsu/a","Test":"TestY"}
{"Action":"fail","Package":"kaijutsu/a"}`,
			counts{failed: 1, skipped: 1}, []string{"got 1, want 2", "TestY: y_test.go:3: node is not installed", "FAIL kaijutsu/a"}},
		{"build failure is one failure", `
{"ImportPath":"kaijutsu/a","Action":"build-output","Output":"a.go:1: nonsense\n"}
{"ImportPath":"kaijutsu/a","Action":"build-fail"}
{"Action":"start","Package":"kaijutsu/a"}
{"Action":"fail","Package":"kaijutsu/a","FailedBuild":"kaijutsu/a"}`,
			counts{failed: 1}, []string{"a.go:1: nonsense"}},
		{"process that died is one failure and says where", `
{"Action":"pass","Package":"kaijutsu/a","Test":"TestX"}
{"Action":"output","Package":"kaijutsu/a","Test":"TestY","Output":"in the middle\n"}
{"Action":"output","Package":"kaijutsu/a","Output":"signal: killed\n"}
{"Action":"fail","Package":"kaijutsu/a"}`,
			counts{passed: 1, failed: 1}, []string{"did not end: kaijutsu/a TestY\nin the middle", "signal: killed"}},
		{"package without tests", `{"Action":"skip","Package":"kaijutsu/a"}`, counts{}, nil},
		{"package that did not come to its end", `
{"Action":"pass","Package":"kaijutsu/a","Test":"TestX"}
{"Action":"run","Package":"kaijutsu/a","Test":"TestY"}`, counts{passed: 1, failed: 1}, nil},
		{"other lines pass through", "go: something\n", counts{}, []string{"go: something\n"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var out strings.Builder
			got, _, err := run(strings.NewReader(tt.events), &out)
			if err != nil || got != tt.want {
				t.Errorf("run = %+v, %v, want %+v", got, err, tt.want)
			}
			for _, s := range tt.says {
				if !strings.Contains(out.String(), s) {
					t.Errorf("output = %q, want it to hold %q", out.String(), s)
				}
			}
		})
	}
}

func TestRunReportsReadErrors(t *testing.T) {
	broken := errors.New("broken pipe")
	if _, _, err := run(iotest.ErrReader(broken), &strings.Builder{}); !errors.Is(err, broken) {
		t.Errorf("run = %v, want %v", err, broken)
	}
}
