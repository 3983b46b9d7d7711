package main

import (
	"io"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

// What is run again, and what is not.
func TestNotes(t *testing.T) {
	const fail = `
{"Action":"output","Package":"kaijutsu/a","Test":"TestX/one","Output":"    x_test.go:3: late\n"}
{"Action":"fail","Package":"kaijutsu/a","Test":"TestX/one"}
{"Action":"output","Package":"kaijutsu/a","Test":"TestX","Output":"--- FAIL: TestX\n"}
{"Action":"fail","Package":"kaijutsu/a","Test":"TestX"}
`
	tests := []struct {
		name, events string
		want         []note
	}{
		{"all passed", `{"Action":"pass","Package":"kaijutsu/a","Test":"TestX"}
{"Action":"pass","Package":"kaijutsu/a"}`, nil},
		{"a test with its subtest", fail + `{"Action":"fail","Package":"kaijutsu/a"}`,
			[]note{{Package: "kaijutsu/a", Test: "TestX", Failures: 2, Output: "    x_test.go:3: late\n--- FAIL: TestX\n"}}},
		{"the process died after a test had failed", fail + `
{"Action":"output","Package":"kaijutsu/a","Test":"TestY","Output":"=== RUN   TestY\n"}
{"Action":"fail","Package":"kaijutsu/a"}`,
			[]note{{Package: "kaijutsu/a", Test: "TestX", Failures: 2, Output: "    x_test.go:3: late\n--- FAIL: TestX\n", Final: "TestY did not end"}}},
		{"it does not build", `{"Action":"fail","Package":"kaijutsu/a","FailedBuild":"kaijutsu/a"}`,
			[]note{{Package: "kaijutsu/a", Failures: 1, Final: "it failed without a test that did"}}},
		{"it was cut off", fail, []note{{Package: "kaijutsu/a", Failures: 2, Final: "it did not come to its end"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, got, err := run(strings.NewReader(tt.events), io.Discard)
			if err != nil || !reflect.DeepEqual(got, tt.want) {
				t.Errorf("run = %+v, %v, want %+v", got, err, tt.want)
			}
		})
	}
}

func TestFinalIn(t *testing.T) {
	for output, want := range map[string]string{
		"    x_test.go:3: got 1, want 2\n--- FAIL: TestX (0.00s)\n":                  "",
		"==================\nWARNING: DATA RACE\nWrite at 0x1 by goroutine 7:\n":     "a data race",
		"    testing.go:1712: race detected during execution of test\n":              "a data race",
		"panic: test timed out after 15m0s\n\trunning tests:\n":                      "a panic",
		"panic: runtime error: index out of range [recovered]\n":                     "a panic",
		"    x_test.go:9: the server said:\n        panic: send on closed channel\n": "a panic",
		"fatal error: all goroutines are asleep - deadlock!\n":                       "a fatal error",
		"signal: killed\n": "the process was killed",
	} {
		if got := finalIn(output); got != want {
			t.Errorf("finalIn(%q) = %q, want %q", output, got, want)
		}
	}
}

func TestAgain(t *testing.T) {
	passes := counts{passed: 3}
	many := func(n int) (out []note) {
		for i := range n {
			out = append(out, note{Package: "kaijutsu/a", Test: "Test" + strconv.Itoa(i), Failures: 2, Output: "late\n"})
		}
		return out
	}
	final := append(many(1), note{Package: "kaijutsu/b", Failures: 1, Final: "a panic"})
	tests := []struct {
		name         string
		notes        []note
		then         counts
		mended, runs int
		says         string
	}{
		{"nothing failed", nil, passes, 0, 0, ""},
		{"it passes", many(2), passes, 4, 2, "flaky: Test1 passed alone (kaijutsu/a). It had failed with\n  | late\n"},
		{"it fails again", many(1), counts{passed: 1, failed: 1}, 0, 1, "failed again: kaijutsu/a Test0\n"},
		{"it is skipped then", many(1), counts{skipped: 1}, 0, 1, "failed again: kaijutsu/a Test0\n"},
		{"as many as may", many(5), passes, 10, 5, "flaky: Test4"},
		{"too many", many(6), passes, 0, 0, "6 tests failed, more than 5"},
		{"one is final", final, passes, 0, 0, "kaijutsu/b: a panic"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var out strings.Builder
			runs := 0
			mended := again(tt.notes, &out, func(note, io.Writer) (counts, []note) { runs++; return tt.then, nil })
			if mended != tt.mended || runs != tt.runs || !strings.Contains(out.String(), tt.says) {
				t.Errorf("again = %d after %d runs, and said %q; want %d after %d, and %q", mended, runs, out.String(), tt.mended, tt.runs, tt.says)
			}
		})
	}
}

func TestNotesFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "notes")
	want := []note{{Package: "a", Test: "TestX", Flags: []string{"-race"}, Failures: 1, Output: "x\n"}, {Package: "b", Failures: 1, Final: "a panic"}}
	if got, err := readNotes(name); err != nil || got != nil {
		t.Errorf("readNotes of no file = %+v, %v", got, err)
	}
	for _, n := range want {
		if err := appendNotes(name, []note{n}); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := readNotes(name); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("readNotes = %+v, %v, want %+v", got, err, want)
	}
}
