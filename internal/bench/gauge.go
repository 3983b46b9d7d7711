package bench

import "time"

// gauge measures what a stretch of time cost some processes, the load generator
// and everybody else on the machine.
type gauge struct {
	pids          []int
	began         time.Time
	used          []time.Duration // by each process, until it began
	self, machine time.Duration
}

// cost is what a gauge read.
type cost struct {
	each                       []time.Duration // of the processes, in their order
	wall, server, self, others time.Duration   // server: of all of them
}

func startGauge(pids ...int) (*gauge, error) {
	g := &gauge{pids: pids, began: time.Now(), self: cpuOfSelf()}
	for _, pid := range pids {
		used, err := cpuOf(pid)
		if err != nil {
			return nil, err
		}
		g.used = append(g.used, used)
	}
	var err error
	g.machine, err = cpuOfMachine()
	return g, err
}

// stop reads the gauge.
func (g *gauge) stop() (cost, error) {
	c := cost{wall: time.Since(g.began)}
	for i, pid := range g.pids {
		used, err := cpuOf(pid)
		if err != nil {
			return cost{}, err
		}
		c.each = append(c.each, used-g.used[i])
		c.server += c.each[i]
	}
	machine, err := cpuOfMachine()
	if err != nil {
		return cost{}, err
	}
	c.self = cpuOfSelf() - g.self
	c.others = max(0, machine-g.machine-c.server-c.self)
	return c, nil
}

// percent returns how much of one core that is.
func (c cost) percent(cpu time.Duration) float64 { return 100 * float64(cpu) / float64(c.wall) }
