package server

import (
	"strconv"

	"kaijutsu"
	"kaijutsu/flowbus"
)

// ephemeralSubject is where ephemeral messages of editors go to other nodes, by
// the shard of their document.
const ephemeralSubject = "node.eph."

// relay returns what passes an editor's ephemeral message on to other nodes; nil
// when there are none. What cannot be sent now is lost, as it may be.
func (s *Server) relay() func(kaijutsu.DocumentID, []byte) {
	if s.bus.Embedded() {
		return nil
	}
	return func(doc kaijutsu.DocumentID, message []byte) {
		_ = s.bus.Publish(ephemeralSubject+strconv.Itoa(flowbus.Shard(doc)), message)
	}
}

// hearEphemeral shows this node's editors what those of other nodes send.
func (s *Server) hearEphemeral() error {
	if s.bus.Embedded() {
		return nil
	}
	stop, err := s.bus.Subscribe(ephemeralSubject+"*", func(m flowbus.Message) {
		if err := s.peers.DeliverEphemeral(m.Data); err != nil {
			s.log.Debug("ephemeral message of another node dropped", "node", m.Node, "err", err)
		}
	}, func(n int) {
		s.log.Debug("ephemeral messages of other nodes dropped: they came too fast", "messages", n)
	})
	if err == nil {
		s.unheard = append(s.unheard, stop)
	}
	return err
}
