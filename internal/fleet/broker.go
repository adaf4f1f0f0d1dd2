//go:build !nohub

package fleet

import (
	"crypto/tls"
	"fmt"
	"net"
	"os"
	"strconv"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// mostPayload is the largest message that a broker of ours takes.
const mostPayload = 8 << 20

// A Broker passes messages on. It has a token that whoever connects must know.
type Broker struct {
	server *server.Server
	token  string
	host   string
	secure bool
}

// Listen starts a broker at an address such as :4222 or 10.0.0.5:4222, of which the host may
// be left out: then it listens on all of the machine's. It keeps cases in a folder; "" is that
// it keeps none. With a certificate it speaks TLS alone.
func Listen(address, token, dir string, certificate *tls.Certificate) (*Broker, error) {
	host, port, err := addressOf(address)
	if err != nil {
		return nil, err
	}
	if port == 0 {
		port = server.RANDOM_PORT
	}
	o := &server.Options{Host: host, Port: port, Authorization: token, NoLog: true, NoSigs: true, MaxPayload: mostPayload,
		MaxPending: 8 * mostPayload, ServerName: "r2sgld", JetStream: dir != "", StoreDir: dir, SyncAlways: true}
	if certificate != nil {
		o.TLSConfig = &tls.Config{Certificates: []tls.Certificate{*certificate}, MinVersion: tls.VersionTLS12}
		o.TLSTimeout, o.AuthTimeout = patience.Seconds(), 2*patience.Seconds()
	}
	s, err := server.NewServer(o)
	if err != nil {
		return nil, fmt.Errorf("the broker at %s: %w", address, err)
	}
	// The broker tells of a port in use by ending the program, so it is asked for before.
	if err := CanListen(address); err != nil {
		return nil, err
	}
	go s.Start()
	long := patience
	if dir != "" {
		long = 12 * patience // to read what it keeps
	}
	if !s.ReadyForConnections(long) {
		s.Shutdown()
		return nil, fmt.Errorf("the broker at %s does not start within %v", address, long)
	}
	return &Broker{s, token, host, certificate != nil}, nil
}

// addressOf parts an address into host and port.
func addressOf(address string) (host string, port int, err error) {
	host, number, err := net.SplitHostPort(address)
	if err != nil {
		return "", 0, fmt.Errorf("the address %q: %w: give HOST:PORT, or :PORT", address, err)
	}
	if port, err = strconv.Atoi(number); err != nil || port < 0 || port > 65535 {
		return "", 0, fmt.Errorf("the address %q: a port is a number up to 65535", address)
	}
	return host, port, nil
}

// CanListen says why a broker cannot listen at an address.
func CanListen(address string) error {
	host, port, err := addressOf(address)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port)))
	if err != nil {
		return fmt.Errorf("cannot listen at %s: %w", address, err)
	}
	return l.Close()
}

// URL is what workers connect to. Where the broker listens on all of the machine's addresses
// it has the machine's name.
func (b *Broker) URL() string {
	host := b.host
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "localhost"
		if name, err := os.Hostname(); err == nil {
			host = name
		}
	}
	scheme := "nats"
	if b.secure {
		scheme = "tls"
	}
	port := 0
	if a, ok := b.server.Addr().(*net.TCPAddr); ok {
		port = a.Port
	}
	return fmt.Sprintf("%s://%s@%s", scheme, b.token, net.JoinHostPort(host, strconv.Itoa(port)))
}

// Connect connects to the broker from within.
func (b *Broker) Connect() (*nats.Conn, error) {
	return Connect("nats://"+b.token+"@localhost", nats.InProcessServer(b.server))
}

// Close ends the broker. Who is connected tries to come back.
func (b *Broker) Close() {
	b.server.Shutdown()
	b.server.WaitForShutdown()
}
