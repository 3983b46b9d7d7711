package peer_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// crowdEnv makes the test binary the crowd of a benchmark: editors in a process
// of their own, whose work does not count as the server's.
const crowdEnv = "KAIJUTSU_PEER_CROWD"

func TestMain(m *testing.M) {
	if job := os.Getenv(crowdEnv); job != "" {
		if err := crowd(job); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// BenchmarkFanout is one writer who makes an edit every 200 ms, seen by so many
// observers who answer each as clients do. cpu-µs/delivery is what the server takes for each edit
// that an observer got.
func BenchmarkFanout(b *testing.B) {
	for _, n := range []int{1, 100, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) { runCrowd(b, n, 1, 200*time.Millisecond) })
	}
}

// BenchmarkWriters is 64 editors in one document who write six times a second.
func BenchmarkWriters(b *testing.B) { runCrowd(b, 0, 64, 166*time.Millisecond) }

// runCrowd has a crowd make b.N edits and wait until everybody has seen them.
func runCrowd(b *testing.B, observers, writers int, every time.Duration) {
	s := start(b, nil)
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s %d %d %d %s", crowdEnv, strings.TrimPrefix(s.url, "ws://"), observers, writers, every, newDocument()))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _, _ = in.Close(), cmd.Wait() })
	lines := bufio.NewScanner(out)
	if !lines.Scan() {
		b.Fatal("the crowd is not there")
	}
	b.ResetTimer()
	before, frames := cpu(), s.hub.Stats().FramesOut
	fmt.Fprintln(in, b.N)
	if !lines.Scan() {
		b.Fatal("the crowd went")
	}
	used := cpu() - before
	b.StopTimer()
	deliveries := float64(b.N) * float64(observers+writers-1)
	b.ReportMetric(float64(used.Microseconds())/deliveries, "cpu-µs/delivery")
	b.ReportMetric(float64(s.hub.Stats().FramesOut-frames)/float64(b.N), "frames/edit")
	for _, f := range strings.Fields(lines.Text()) {
		name, value, _ := strings.Cut(f, "=")
		if v, err := strconv.ParseFloat(value, 64); err == nil {
			b.ReportMetric(v, name)
		}
	}
}

// cpu is the time that this process has run.
func cpu() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
