package limit

import "time"

// Name is the name of a limit, as it is set.
type Name string

// The limits.
const (
	Messages           Name = "messages-per-second"
	Bytes              Name = "bytes-per-second"
	SmallReads         Name = "overhead-bytes-per-second"
	PrincipalMessages  Name = "principal-messages-per-second"
	PrincipalBytes     Name = "principal-bytes-per-second"
	PrincipalChanges   Name = "principal-changes-per-second"
	DocumentChanges    Name = "document-changes-per-second"
	Operations         Name = "operations-per-second"
	DocumentsMade      Name = "documents-per-hour"
	Connects           Name = "connects-per-second"
	AllConnects        Name = "all-connects-per-second"
	Connections        Name = "connections"
	PrincipalConns     Name = "principal-connections"
	AddressConnections Name = "address-connections"
	Strangers          Name = "address-strangers"
	Streams            Name = "principal-streams"
	ChangeBytes        Name = "change-bytes"
	DocumentBytes      Name = "document-bytes"
	DocumentActors     Name = "document-actors"
	PrincipalActors    Name = "principal-actors"
)

// Kind is how a limit bounds.
type Kind string

// The kinds.
const (
	Rate  Kind = "rate"  // so much in Rule.Per
	Count Kind = "count" // so many at a time
	Quota Kind = "quota" // so much in all
)

// Scope is for what a limit counts.
type Scope string

// The scopes.
const (
	ByPrincipal  Scope = "principal"
	ByDocument   Scope = "document"
	ByConnection Scope = "connection"
	ByAddress    Scope = "address"
	ByServer     Scope = "server"
)

// Rule is what is fixed of a limit.
type Rule struct {
	Name    Name
	Kind    Kind
	Scope   Scope
	Default int64
	Per     time.Duration // of a rate: the time that the value is of
	Burst   time.Duration // of a rate: so long what is not used is kept
	What    string        // what is counted, in the plural
	Then    string        // what happens to who goes beyond it
	slows   bool          // Take may be used: who goes beyond waits
}

const (
	waits   = "what comes next is read later"
	refused = "it is refused; come again later"
)

// rules is every limit, in the order in which people read them.
var rules = []Rule{
	{Messages, Rate, ByConnection, 2000, time.Second, 5 * time.Second, "messages", waits, true},
	{Bytes, Rate, ByConnection, 32 << 20, time.Second, 4 * time.Second, "bytes", waits, true},
	{SmallReads, Rate, ByConnection, 4 << 10, time.Second, 4 * time.Second, "bytes that are no message", waits, true},
	{PrincipalMessages, Rate, ByPrincipal, 20_000, time.Second, 5 * time.Second, "messages", waits, true},
	{PrincipalBytes, Rate, ByPrincipal, 64 << 20, time.Second, 8 * time.Second, "bytes", waits, true},
	{PrincipalChanges, Rate, ByPrincipal, 20_000, time.Second, 10 * time.Second, "changes", waits, true},
	{DocumentChanges, Rate, ByDocument, 10_000, time.Second, 10 * time.Second, "changes", waits, true},
	{Operations, Rate, ByPrincipal, 2000, time.Second, 5 * time.Second, "operations", refused, false},
	{DocumentsMade, Rate, ByPrincipal, 50_000, time.Hour, time.Hour, "new documents", refused, false},
	{Connects, Rate, ByAddress, 200, time.Second, 10 * time.Second, "new connections", "it waits to be let in", true},
	{AllConnects, Rate, ByServer, 2000, time.Second, 50 * time.Millisecond, "new connections", "it waits to be let in", true},
	{Connections, Count, ByServer, 10_000, 0, 0, "editors' connections", refused, false},
	{PrincipalConns, Count, ByPrincipal, 5000, 0, 0, "editors' connections", refused, false},
	{AddressConnections, Count, ByAddress, 8000, 0, 0, "connections", "it is closed", false},
	{Strangers, Count, ByAddress, 500, 0, 0, "connections that have said nothing yet", "the oldest of them is closed", false},
	{Streams, Count, ByPrincipal, 5000, 0, 0, "streams of events", refused, false},
	{ChangeBytes, Quota, ByDocument, 64 << 20, 0, 0, "bytes of one change", "it is refused", false},
	{DocumentBytes, Quota, ByDocument, 1 << 30, 0, 0, "bytes of changes", "its changes are refused", false},
	{DocumentActors, Quota, ByDocument, 100_000, 0, 0, "actors", "changes of new actors are refused", false},
	{PrincipalActors, Quota, ByPrincipal, 50_000, 0, 0, "actors in one document", "changes of new actors are refused", false},
}

// Rules returns every limit, in the order in which people read them. The caller
// must not change it.
func Rules() []Rule { return rules }

func indexOf(name Name) (int, bool) {
	for i := range rules {
		if rules[i].Name == name {
			return i, true
		}
	}
	return 0, false
}
