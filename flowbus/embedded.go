package flowbus

import (
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

var (
	_ = server.NewServer
	_ = nats.Connect
)
