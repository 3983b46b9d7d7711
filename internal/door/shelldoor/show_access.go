package shelldoor

import (
	"fmt"
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
		Created  string   `json:"created"`
		Expires  string   `json:"expires"`
		LastUsed string   `json:"last_used"`
	} `json:"tokens"`
}) error {
	if len(list.Tokens) == 0 {
		fmt.Fprintln(s.notes, "no tokens; make one with kj token create NAME --role editor")
		return nil
	}
	rows := [][]string{{"ID", "NAME", "KIND", "ROLE", "CREATED", "EXPIRES", "LAST USED", "DENIED"}}
	for _, t := range list.Tokens {
		rows = append(rows, []string{t.ID, t.Name, t.Kind, t.Role, when(t.Created), orDash(when(t.Expires)), orDash(when(t.LastUsed)), strings.Join(t.Deny, " ")})
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
