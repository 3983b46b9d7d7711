package shelldoor

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// showNewToken prints the token alone, for $(…), and beside it what to do with
// it.
func showNewToken(s *screen, t struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Kind  string `json:"kind"`
	Role  string `json:"role"`
	Token string `json:"token"`
}) error {
	fmt.Fprintf(s.notes, "token %s of %s (%s, %s); it is shown this once:\n", t.ID, t.Name, t.Kind, t.Role)
	s.printf("%s\n", t.Token)
	fmt.Fprint(s.notes, `use it in
  a shell        export KJ_TOKEN=…
  HTTP and MCP   Authorization: Bearer …
  editors        ws://…/sync?token=…
`)
	return nil
}

func showTokens(s *screen, list struct {
	Tokens []struct {
		ID       string   `json:"id"`
		Name     string   `json:"name"`
		Kind     string   `json:"kind"`
		Role     string   `json:"role"`
		Deny     []string `json:"deny"`
		Limit    string   `json:"limit"`
		Contexts []string `json:"contexts"`
		Only     []string `json:"only"`
		Without  []string `json:"without"`
		Doors    []string `json:"doors"`
		Via      string   `json:"via"`
		Former   string   `json:"former_until"`
		Created  string   `json:"created"`
		Expires  string   `json:"expires"`
		LastUsed string   `json:"last_used"`
	} `json:"tokens"`
}) error {
	if len(list.Tokens) == 0 {
		fmt.Fprintln(s.notes, "no tokens; make one with kj token create NAME --role editor")
		return nil
	}
	rows := [][]string{{"ID", "NAME", "KIND", "ROLE", "CREATED", "EXPIRES", "LAST USED", "DENIED", "LIMITED TO"}}
	for _, t := range list.Tokens {
		rows = append(rows, []string{t.ID, t.Name, t.Kind, t.Role, when(t.Created), orDash(when(t.Expires)), orDash(when(t.LastUsed)), strings.Join(append(t.Deny, t.Without...), " "), limitsOf(t.Limit, t.Contexts, t.Only, t.Doors)})
	}
	return s.table(rows)
}

// limitsOf says in a few words what a token narrows.
func limitsOf(role string, contexts, only, doors []string) string {
	var all []string
	if role != "" {
		all = append(all, role)
	}
	switch len(contexts) {
	case 0:
	case 1:
		all = append(all, "context "+contexts[0])
	default:
		all = append(all, fmt.Sprintf("%d contexts", len(contexts)))
	}
	if len(only) > 0 {
		all = append(all, strings.Join(only, " "))
	}
	if len(doors) > 0 {
		all = append(all, "by "+strings.Join(doors, ", "))
	}
	return strings.Join(all, "; ")
}

// showAudit prints the audit log, the oldest entry first.
func showAudit(s *screen, list struct {
	Entries []struct {
		At        string            `json:"at"`
		Action    string            `json:"action"`
		Outcome   string            `json:"outcome"`
		Principal string            `json:"principal"`
		Token     string            `json:"token"`
		Door      string            `json:"door"`
		From      string            `json:"from"`
		About     map[string]string `json:"about"`
		Reason    string            `json:"reason"`
		Times     int               `json:"times"`
	} `json:"entries"`
	More bool `json:"more"`
}) error {
	if len(list.Entries) == 0 {
		fmt.Fprintln(s.notes, "nothing of that sort is in the audit log")
		return nil
	}
	rows := [][]string{{"AT", "ACTION", "OUTCOME", "PRINCIPAL", "DOOR", "FROM", "ABOUT", "REASON"}}
	for _, e := range list.Entries {
		about := make([]string, 0, len(e.About))
		for _, k := range slices.Sorted(maps.Keys(e.About)) {
			about = append(about, k+"="+e.About[k])
		}
		reason := e.Reason
		if e.Times > 0 {
			reason = strings.TrimSpace(fmt.Sprintf("%s (%d times more)", reason, e.Times))
		}
		rows = append(rows, []string{when(e.At), e.Action, e.Outcome, orDash(e.Principal), orDash(e.Door), orDash(e.From), strings.Join(about, " "), reason})
	}
	if list.More {
		fmt.Fprintln(s.notes, "there are older entries; --since, --until and --limit reach them")
	}
	return s.table(rows)
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

type roleRow struct {
	Principal string `json:"principal"`
	Kind      string `json:"kind"`
	Role      string `json:"role"`
	Context   string `json:"context"`
}

func showRoles(s *screen, list struct {
	Roles []roleRow `json:"roles"`
}) error {
	rows := [][]string{{"PRINCIPAL", "KIND", "ROLE", "WHERE"}}
	for _, r := range list.Roles {
		rows = append(rows, []string{r.Principal, r.Kind, r.Role, r.where()})
	}
	return s.table(rows)
}

func showSeats(s *screen, list struct {
	Seats []struct {
		Principal string `json:"principal"`
		Kind      string `json:"kind"`
		Nick      string `json:"nick"`
		Instance  string `json:"instance"`
		Door      string `json:"door"`
		Status    string `json:"status"`
		Node      string `json:"node"`
		Context   string `json:"context"`
		Since     string `json:"since"`
	} `json:"seats"`
}) error {
	rows := [][]string{{"PRINCIPAL", "KIND", "NICK", "INSTANCE", "STATUS", "DOOR", "NODE", "SINCE", "CONTEXT"}}
	for _, r := range list.Seats {
		rows = append(rows, []string{r.Principal, r.Kind, r.Nick, r.Instance, r.Status, r.Door, fmt.Sprintf("%.8s", r.Node), when(r.Since), r.Context})
	}
	return s.table(rows)
}

func showRole(s *screen, r roleRow) error {
	s.printf("%s is %s in %s\n", s.clean(r.Principal), r.Role, r.where())
	return nil
}

func (r roleRow) where() string {
	if r.Context == "" {
		return "every context"
	}
	return r.Context
}
