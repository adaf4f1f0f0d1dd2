//go:build !nohub

package fleet

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/r2sgld/r2sgld/internal/store"
)

// mostPayload is the largest message that a broker of ours takes.
const mostPayload = 8 << 20

// A Broker passes messages on. It has a token that whoever connects must know.
type Broker struct {
	server *server.Server
	lock   io.Closer // of the folder
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
	lock, err := alone(dir)
	if err != nil {
		return nil, err
	}
	if err := begin(s, dir != ""); err != nil {
		s.Shutdown()
		return nil, errors.Join(fmt.Errorf("the broker at %s does not start: %w", address, err), lock.Close())
	}
	return &Broker{s, lock, token, host, certificate != nil}, nil
}

// alone makes sure that no other broker has the folder, until the lock is closed.
func alone(dir string) (lock io.Closer, err error) {
	if dir == "" {
		return io.NopCloser(nil), nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	lock, err = store.Disk{}.Lock(filepath.Join(dir, ".lock"))
	if errors.Is(err, store.ErrLocked) {
		err = fmt.Errorf("another broker keeps its cases in %s: end that one, or choose another folder", dir)
	}
	return lock, err
}

// begin starts a server and waits until it takes connections.
func begin(s *server.Server, keeps bool) error {
	var grave complaint
	s.SetLogger(&grave, false, false)
	go s.Start()
	long := patience
	if keeps {
		long = 12 * patience // to read what it keeps
	}
	for end := time.Now().Add(long); !s.ReadyForConnections(moment); {
		if said := grave.said.Load(); said != nil {
			return errors.New(*said)
		}
		if time.Now().After(end) {
			return fmt.Errorf("not within %v", long)
		}
	}
	return nil
}

// A complaint is the first thing that a server cannot live with; whatever else it says is left out.
type complaint struct{ said atomic.Pointer[string] }

func (c *complaint) Fatalf(format string, v ...any) {
	said := fmt.Sprintf(format, v...)
	c.said.CompareAndSwap(nil, &said)
}

func (*complaint) Noticef(string, ...any) {}
func (*complaint) Warnf(string, ...any)   {}
func (*complaint) Errorf(string, ...any)  {}
func (*complaint) Debugf(string, ...any)  {}
func (*complaint) Tracef(string, ...any)  {}

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
	_ = b.lock.Close()
}
