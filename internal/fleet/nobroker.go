//go:build nohub

package fleet

import (
	"crypto/tls"
	"errors"

	"github.com/nats-io/nats.go"
)

// A Broker is none in a program that was built without.
type Broker struct{}

var errNoBroker = errors.New("this program was built without a broker (-tags nohub): build it with, go build ./cmd/r2sgld, or run a NATS " +
	"server and give its URL to --hub")

// Listen says how to get a broker.
func Listen(string, string, string, *tls.Certificate) (*Broker, error) { return nil, errNoBroker }

// CanListen says how to get a broker.
func CanListen(string) error { return errNoBroker }

// URL is "".
func (*Broker) URL() string { return "" }

// Connect fails.
func (*Broker) Connect() (*nats.Conn, error) { return nil, errNoBroker }

// Close does nothing.
func (*Broker) Close() {}
