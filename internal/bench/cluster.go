package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"kaijutsu"
	"kaijutsu/internal/kjproc"
)

// ClusterOptions say how nodes are measured. The zero value measures once.
type ClusterOptions struct {
	// Exe is the kj binary; default this one.
	Exe string
	// NATS is the nats-server binary; default one that kjproc.FindNATS finds.
	NATS string
	// Rounds is how often it is repeated where that makes sense; default 1.
	Rounds int
	// For is how long a load is recorded; default 15 s.
	For time.Duration
	// Changes is how many changes a node misses; default 100,000.
	Changes int
	// Followers is how many follow; default 2,000.
	Followers int
	// Connections is how many connections a flood has; default 1,000.
	Connections int
	// Contexts is how many contexts a server holds; default 10,000.
	Contexts int
	// Only is the one part of several to measure; default all.
	Only string
	// Beside is another kj binary to start beside this one; default none.
	Beside string
	// Dir is where data directories are made and removed; default the
	// system's temporary directory.
	Dir string
	// Progress receives a line for each step; default nothing.
	Progress io.Writer
}

func (opt *ClusterOptions) fill() error {
	if opt.Exe == "" {
		exe, err := os.Executable()
		if err != nil {
			return err
		}
		opt.Exe = exe
	}
	opt.Rounds = max(1, opt.Rounds)
	if opt.For == 0 {
		opt.For = 15 * time.Second
	}
	if opt.Changes == 0 {
		opt.Changes = 100_000
	}
	if opt.Followers == 0 {
		opt.Followers = 2000
	}
	if opt.Connections == 0 {
		opt.Connections = 1000
	}
	if opt.Contexts == 0 {
		opt.Contexts = 10_000
	}
	if opt.Dir == "" {
		opt.Dir = os.TempDir()
	}
	if opt.Progress == nil {
		opt.Progress = io.Discard
	}
	return nil
}

func (opt *ClusterOptions) say(format string, args ...any) {
	fmt.Fprintf(opt.Progress, format+"\n", args...)
}

// Measure runs one of the measurements of Measurements.
func Measure(ctx context.Context, name string, opt ClusterOptions) (*Table, error) {
	if err := opt.fill(); err != nil {
		return nil, err
	}
	run := map[string]func(context.Context, *ClusterOptions) (*Table, error){
		"nodes": measureNodes, "catchup": measureCatchUp, "followers": measureFollowers, "start": measureStart,
		"drift": measureDrift, "git": measureCommits, "hard": measureHard,
	}[name]
	if run == nil {
		return nil, fmt.Errorf("measurement %q: %w", name, kaijutsu.ErrNotFound)
	}
	machine := inspectMachine(ctx, opt.Dir, false)
	table, err := run(ctx, &opt)
	if err != nil {
		return nil, fmt.Errorf("measure %s: %w", name, err)
	}
	table.machine = machine
	return table, nil
}

// cluster is some nodes on one nats-server.
type cluster struct {
	opt   *ClusterOptions
	args  []string // of the nodes, beyond those that they all have
	dir   string
	nats  *kjproc.NATS
	nodes []*kjproc.Process
}

// openCluster starts n nodes. The caller closes it also after an error.
func (c *cluster) open(ctx context.Context, n int) (err error) {
	if c.dir, err = os.MkdirTemp(c.opt.Dir, "kj-bench-"); err != nil {
		return err
	}
	exe, err := kjproc.FindNATS(ctx, c.opt.NATS, c.dir)
	if err != nil {
		return err
	}
	ports, err := kjproc.FreePorts(2)
	if err != nil {
		return err
	}
	cfg := kjproc.NATSConfig{Exe: exe, Dir: filepath.Join(c.dir, "nats"), Port: ports[0], Monitor: ports[1]}
	if c.nats, err = kjproc.StartNATS(ctx, cfg); err != nil {
		return err
	}
	c.nodes = make([]*kjproc.Process, n)
	for i := range c.nodes {
		if err := c.start(ctx, i); err != nil {
			return err
		}
	}
	return nil
}

// start starts a node, on the data it has.
func (c *cluster) start(ctx context.Context, i int) (err error) {
	dir := filepath.Join(c.dir, fmt.Sprintf("node-%d", i+1))
	c.nodes[i], err = kjproc.Start(ctx, c.opt.Exe, dir, append([]string{"--log-level", "warn", "--nats", c.nats.Config.URL()}, c.args...)...)
	return err
}

func (c *cluster) close() {
	for _, n := range c.nodes {
		if n != nil {
			n.Kill()
		}
	}
	if c.nats != nil {
		c.nats.Kill()
	}
	if c.dir != "" {
		_ = os.RemoveAll(c.dir) // in the temporary directory, if not
	}
}

// call runs an operation of a server.
func call(ctx context.Context, p *kjproc.Process, op string, in, out any) error {
	return callBy(ctx, http.DefaultClient, p, op, in, out)
}

// callBy is call with a client of the caller's.
func callBy(ctx context.Context, client *http.Client, p *kjproc.Process, op string, in, out any) error {
	params, err := json.Marshal(in)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.URL+"/v1/ops/"+op, bytes.NewReader(params))
	if err != nil {
		return err
	}
	resp, err := client.Do(req)
	if err != nil {
		return fmt.Errorf("%s: %w", op, err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, 64<<20))
	if err != nil || resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s: %w: %.300s", op, resp.Status, kaijutsu.ErrUnavailable, body)
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(body, out)
}

// pids returns the process ids of the nodes and, last, of the nats-server.
func (c *cluster) pids() (ids []int) {
	for _, n := range c.nodes {
		ids = append(ids, n.PID())
	}
	return append(ids, c.nats.PID())
}

// noteCost writes what the processes of pids used into the table's notes.
func (c *cluster) noteCost(t *Table, used cost) {
	text := "Processor time, % of one core:"
	for i := range c.nodes {
		text += fmt.Sprintf(" node %d %s,", i+1, number(used.percent(used.each[i])))
	}
	text += fmt.Sprintf(" nats-server %s,", number(used.percent(used.each[len(c.nodes)])))
	t.note("%s load generator %s, everybody else on the machine %s.", text, number(used.percent(used.self)), number(used.percent(used.others)))
}
