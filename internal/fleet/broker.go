package fleet

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"time"

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
}

// NewToken returns 128 random bits.
func NewToken() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // which never fails
	return hex.EncodeToString(b[:])
}

// Listen starts a broker at an address such as :4222 or 10.0.0.5:4222, of which the host may
// be left out: then it listens on all of the machine's. It keeps cases in a folder; "" is that
// it keeps none.
func Listen(address, token, dir string) (*Broker, error) {
	host, port, err := addressOf(address)
	if err != nil {
		return nil, err
	}
	number, _ := strconv.Atoi(port)
	if number == 0 {
		number = server.RANDOM_PORT
	}
	o := &server.Options{Host: host, Port: number, Authorization: token, NoLog: true, NoSigs: true, MaxPayload: mostPayload,
		MaxPending: 64 << 20, ServerName: "r2sgld", JetStream: dir != "", StoreDir: dir, SyncAlways: true}
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
	return &Broker{s, token, host}, nil
}

// addressOf parts an address into host and port.
func addressOf(address string) (host, port string, err error) {
	host, port, err = net.SplitHostPort(address)
	if err != nil {
		return "", "", fmt.Errorf("the address %q: %w: give HOST:PORT, or :PORT", address, err)
	}
	if n, err := strconv.Atoi(port); err != nil || n < 0 || n > 65535 {
		return "", "", fmt.Errorf("the address %q: a port is a number up to 65535", address)
	}
	return host, port, nil
}

// CanListen says why a broker cannot listen at an address.
func CanListen(address string) error {
	host, port, err := addressOf(address)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", net.JoinHostPort(host, port))
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
	return fmt.Sprintf("nats://%s@%s", b.token, net.JoinHostPort(host, strconv.Itoa(b.port())))
}

// port is where it listens.
func (b *Broker) port() int {
	a, _ := b.server.Addr().(*net.TCPAddr)
	if a == nil {
		return 0
	}
	return a.Port
}

// local is the URL for this machine.
func (b *Broker) local() string {
	host := b.host
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return fmt.Sprintf("nats://%s@%s", b.token, net.JoinHostPort(host, strconv.Itoa(b.port())))
}

// Connect connects to the broker from within.
func (b *Broker) Connect() (*nats.Conn, error) { return Connect(b.local()) }

// Close ends the broker. Who is connected tries to come back.
func (b *Broker) Close() {
	b.server.Shutdown()
	b.server.WaitForShutdown()
}

// Connect connects to a broker, and anew whenever the connection is lost.
func Connect(url string) (*nats.Conn, error) {
	c, err := nats.Connect(url, nats.Name("r2sgld"), nats.MaxReconnects(-1), nats.ReconnectWait(500*time.Millisecond),
		nats.ReconnectJitter(200*time.Millisecond, 200*time.Millisecond), nats.Timeout(patience), nats.PingInterval(2*time.Second),
		nats.MaxPingsOutstanding(3), nats.ReconnectBufSize(-1))
	switch {
	case err == nil:
		return c, nil
	case errors.Is(err, nats.ErrAuthorization):
		return nil, fmt.Errorf("the broker refuses the token: take the whole line that the run, or hub, has printed")
	}
	return nil, fmt.Errorf("no broker answers at %s: %w", Plain(url), err)
}

// Plain is a URL without its token.
func Plain(url string) string {
	for i := len(url) - 1; i >= 0; i-- {
		if url[i] == '@' {
			return "nats://" + url[i+1:]
		}
	}
	return url
}
