package vfs

import "fmt"

// putBack exchanges the files again, if the new one still is as it was put
// there, and returns the reason. Of what others rename into the place
// meanwhile, what came last stays.
func (s *swap) putBack(r replacement, old *taken, reason error) error {
	if now, there := s.identity(s.parent, s.baseName); !there || now != s.mine.id {
		s.discardTemp() // theirs came after what was there before
		return reason
	}
	lease, quiet := s.lease(s.ours)
	defer lease.release()
	if !quiet || s.oursTouched(r.data) {
		return s.displaced(old, reason)
	}
	came, err := s.exchangeLast()
	if err != nil {
		s.discardTemp() // removed by somebody
		return reason
	}
	if came == s.mine.id && (lease.broken() || s.oursTouched(r.data)) && s.exchange() == nil {
		return s.displaced(old, reason) // somebody got hold of ours after all
	}
	s.discardTemp()
	return reason
}

// exchangeLast exchanges the files, and again as long as what comes out is not
// what was there last: that has been renamed into the place since and goes
// back. It returns what came out in the end.
func (s *swap) exchangeLast() (identity, error) {
	put, _ := s.identity(s.temps, s.temp)
	want := s.mine.id
	for range tries {
		if err := s.exchange(); err != nil {
			return want, err
		}
		out, _ := s.identity(s.temps, s.temp)
		if out == want {
			break
		}
		put, want = out, put
	}
	return want, nil
}

// displaced leaves the new file where it is, as somebody wrote to it, and gives
// what was there before to the caller.
func (s *swap) displaced(old *taken, reason error) error {
	if old == nil || !s.compare {
		return s.leave(reason)
	}
	s.discardTemp()
	return &Displaced{s.name, old.data, reason}
}

// takeBack removes the new file where none was, if it still is as it was put
// there, and returns the reason.
func (s *swap) takeBack(r replacement, reason error) error {
	if now, there := s.identity(s.parent, s.baseName); !there || now != s.mine.id {
		return reason
	}
	lease, quiet := s.lease(s.ours)
	defer lease.release()
	stays := fmt.Errorf("%w; the new file stays, as another program wrote to it", reason)
	if !quiet || s.oursTouched(r.data) {
		return stays
	}
	s.temp = tempName()
	if err := s.moveOut(); err != nil {
		s.temp = ""
		return reason
	}
	out, _ := s.identity(s.temps, s.temp)
	if (out != s.mine.id || lease.broken() || s.oursTouched(r.data)) && s.moveIn() == nil {
		s.temp = ""
		return stays
	}
	s.discardTemp()
	return reason
}
