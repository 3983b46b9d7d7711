package torture

import (
	"context"
	"fmt"
	"math/rand/v2"
	"syscall"
	"time"
)

// comesBackWithin is how long after a fault a node may take until it
// acknowledges edits again.
const comesBackWithin = 30 * time.Second

// within returns a random time between the two.
func within(r *rand.Rand, least, most time.Duration) time.Duration {
	return least + time.Duration(r.Int64N(int64(most-least)+1))
}

// do does what a strike says, and undoes it.
func (m *mixed) do(ctx context.Context, k strike, n *node, random *rand.Rand) error {
	if isAttack(k.what) {
		if err := m.attack(ctx, k.what, n, random); err != nil || m.opt.rival == nil {
			return err
		}
		return m.revive(ctx, n)
	}
	m.reviving.Lock()
	defer m.reviving.Unlock()
	if err := m.fault(ctx, k, n, random); err != nil {
		return err
	}
	return m.comesBack(ctx, k, n)
}

// revive starts a rival that has ended by itself.
func (m *mixed) revive(ctx context.Context, n *node) error {
	m.reviving.Lock()
	defer m.reviving.Unlock()
	if n.command == nil {
		return nil
	}
	if m.noteDeath(n); n.process() != nil {
		return nil
	}
	return m.up(ctx, n)
}

// fault breaks something and mends it.
func (m *mixed) fault(ctx context.Context, k strike, n *node, random *rand.Rand) error {
	switch k.what {
	case "kill":
		if err := m.untilBusy(ctx, random); err != nil {
			return err
		}
		return m.killFor(ctx, n, within(random, 0, 700*time.Millisecond))
	case "kill-all":
		for _, n := range m.nodes {
			m.down(n, "")
			n.kill()
		}
		for _, n := range m.nodes {
			if err := m.up(ctx, n); err != nil {
				return err
			}
		}
		return nil
	case "stop":
		return m.stopFor(ctx, n.process(), within(random, 200*time.Millisecond, 4*time.Second))
	case "clock":
		n.env = nil
		if random.IntN(3) > 0 {
			n.env = []string{fmt.Sprintf("%s=%ds", clockEnv, random.IntN(7200)-3600)}
		}
		return m.killFor(ctx, n, 0)
	case "partition":
		return m.partitionNode(ctx, k.node, within(random, time.Second, 5*time.Second))
	case "kill-nats":
		m.servers[0].kill()
		if err := m.rest(ctx, within(random, 200*time.Millisecond, 3*time.Second)); err != nil {
			return err
		}
		return m.servers[0].start(ctx)
	case "stop-nats":
		return m.stopFor(ctx, m.servers[0].proc, within(random, 200*time.Millisecond, 4*time.Second))
	}
	d := m.disks[k.node]
	switch k.what {
	case "power":
		return m.losePower(ctx, n, d, random)
	case "disk-full":
		return m.fillDisk(ctx, n, d, random)
	case "disk-error":
		return m.failDisk(ctx, n, d, random)
	case "slow-disk":
		return m.slowDisk(ctx, n, d, random)
	}
	return fmt.Errorf("nobody knows how to do %q", k.what)
}

// untilBusy waits until the next acknowledgement but a few, so that what comes
// then comes right behind one.
func (m *mixed) untilBusy(ctx context.Context, random *rand.Rand) error {
	from, few := m.ledger.total(), 1+random.IntN(10)
	patience := time.Now().Add(500 * time.Millisecond)
	for m.ledger.total() < from+few && time.Now().Before(patience) {
		if err := m.rest(ctx, 200*time.Microsecond); err != nil {
			return err
		}
	}
	return nil
}

func (m *mixed) killFor(ctx context.Context, n *node, d time.Duration) error {
	m.down(n, "")
	n.kill()
	if err := m.rest(ctx, d); err != nil {
		return err
	}
	return m.up(ctx, n)
}

// down records that a node is about to be killed. One that has ended by itself
// did what it must not.
func (m *mixed) down(n *node, how string) {
	m.noteDeath(n)
	m.h.note(Entry{Says: saysDown, Node: n.name, What: how})
}

// noteDeath records that a node has ended by itself, if it has.
func (m *mixed) noteDeath(n *node) {
	p := n.process()
	if p == nil {
		return
	}
	select {
	case <-p.Done():
		m.h.note(Entry{Says: saysDied, Node: n.name, What: tail(p.Log())})
		n.ended(p)
	default:
	}
}

// up starts a node and looks at all that it has.
func (m *mixed) up(ctx context.Context, n *node) error {
	began := time.Now()
	if err := n.start(ctx); err != nil {
		m.wrong(checkCrash, "node %s does not start again: %v", n.name, err)
		return err
	}
	m.h.note(Entry{Says: saysUp, Node: n.name, Ms: millis(time.Since(began))})
	looking, cancel := context.WithTimeout(ctx, comesBackWithin)
	defer cancel()
	if err := m.lookAll(looking, n, false); err != nil && ctx.Err() == nil {
		m.wrong(checkLost, "node %s is up and does not show what it has: %v", n.name, err)
	}
	return nil
}

// signaled is a process that can be stopped.
type signaled interface{ Signal(syscall.Signal) error }

// stopFor lets a process stand still for a while.
func (m *mixed) stopFor(ctx context.Context, p signaled, d time.Duration) error {
	if err := p.Signal(syscall.SIGSTOP); err != nil {
		return err
	}
	err := m.rest(ctx, d)
	if cont := p.Signal(syscall.SIGCONT); err == nil {
		err = cont
	}
	return err
}

// comesBack waits until a node acknowledges edits again, after a fault; one that
// ended by itself is started.
func (m *mixed) comesBack(ctx context.Context, k strike, n *node) error {
	m.noteDeath(n)
	if n.process() == nil {
		if err := m.up(ctx, n); err != nil {
			return err
		}
	}
	from := time.Now()
	for {
		if counts, _ := m.ledger.between(from, time.Now()); counts[n.name] > 0 {
			return nil
		}
		if time.Since(from) > comesBackWithin {
			m.wrong(checkLatency, "node %s acknowledged nothing in the %s after strike %d, %s", n.name, comesBackWithin, k.n, k.what)
			return nil
		}
		if err := m.rest(ctx, 20*time.Millisecond); err != nil {
			return err
		}
	}
}
