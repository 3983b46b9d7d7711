package server

import "fmt"

// namedDamages is how many damaged documents are named in a status.
const namedDamages = 5

// diskProblems is what is wrong with documents: damaged on the disk, or with
// changes in quarantine.
func (s *Server) diskProblems() (all []string) {
	damaged := s.store.Damaged()
	for i, d := range damaged {
		if i == namedDamages {
			all = append(all, fmt.Sprintf("%d more documents are damaged: kj storage scrub --start=false lists them", len(damaged)-i))
			break
		}
		all = append(all, fmt.Sprintf("document %s is damaged on the disk: kj storage mend %s (what is missing comes with the next editor that holds it)", d.Doc.Name(), d.Doc.Name()))
	}
	if n, _ := s.quarantine.Count(); n > 0 {
		all = append(all, fmt.Sprintf("quarantine holds %d changes that are not worked on: kj quarantine list says which and why", n))
	}
	return all
}
