package bench

import (
	"time"

	"kaijutsu/internal/kjproc"
)

// gauge measures what a stretch of time cost the server, the load generator
// and everybody else on the machine.
type gauge struct {
	pid                   int
	began                 time.Time
	server, self, machine time.Duration
}

// cost is what a gauge read.
type cost struct {
	wall, server, self, others time.Duration
}

func startGauge(p *kjproc.Process) (*gauge, error) {
	g := &gauge{pid: p.PID(), began: time.Now(), self: cpuOfSelf()}
	var err error
	if g.server, err = cpuOf(g.pid); err != nil {
		return nil, err
	}
	g.machine, err = cpuOfMachine()
	return g, err
}

// stop reads the gauge.
func (g *gauge) stop() (cost, error) {
	server, err := cpuOf(g.pid)
	if err != nil {
		return cost{}, err
	}
	machine, err := cpuOfMachine()
	if err != nil {
		return cost{}, err
	}
	c := cost{wall: time.Since(g.began), server: server - g.server, self: cpuOfSelf() - g.self}
	c.others = max(0, machine-g.machine-c.server-c.self)
	return c, nil
}

// percent returns how much of one core that is.
func (c cost) percent(cpu time.Duration) float64 { return 100 * float64(cpu) / float64(c.wall) }
