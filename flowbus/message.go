package flowbus

// MaxMessage is how many bytes of data one message can carry.
const MaxMessage = 512 << 10

// Schema is the version of everything that nodes send each other. A message of
// another schema is refused.
const Schema = 1

// Message is one core message or question of another node.
type Message struct {
	Subject string // below kj.<kernel>.
	Node    string // who sent it
	Data    []byte // the receiver may keep it
}
