package shelldoor

import "strconv"

func showLimits(s *screen, list struct {
	Limits []struct {
		Name    string `json:"name"`
		For     string `json:"for"`
		Of      string `json:"of"`
		Value   int64  `json:"value"`
		Default int64  `json:"default"`
		Burst   int64  `json:"burst"`
		Then    string `json:"then"`
		Hits    int64  `json:"hits"`
	} `json:"limits"`
}) error {
	rows := [][]string{{"LIMIT", "VALUE", "BURST", "FOR EACH", "OF", "BEYOND IT", "HITS"}}
	for _, l := range list.Limits {
		value := valueOf(l.Value)
		if l.Value != l.Default {
			value += " (default " + valueOf(l.Default) + ")"
		}
		burst := "-"
		if l.Burst > 0 {
			burst = valueOf(l.Burst)
		}
		rows = append(rows, []string{l.Name, value, burst, l.For, l.Of, l.Then, strconv.FormatInt(l.Hits, 10)})
	}
	return s.table(rows)
}

func showLimit(s *screen, l struct {
	Name  string `json:"name"`
	Value int64  `json:"value"`
	Was   int64  `json:"was"`
}) error {
	s.printf("%s is %s now, it was %s\n", s.clean(l.Name), valueOf(l.Value), valueOf(l.Was))
	return nil
}

// valueOf shows the value of a limit.
func valueOf(n int64) string {
	switch {
	case n == 0:
		return "none"
	case n%(1<<30) == 0:
		return strconv.FormatInt(n>>30, 10) + "GiB"
	case n%(1<<20) == 0:
		return strconv.FormatInt(n>>20, 10) + "MiB"
	}
	return strconv.FormatInt(n, 10)
}
