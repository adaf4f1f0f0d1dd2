package fleet

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

// NewToken returns 128 random bits.
func NewToken() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // which never fails
	return hex.EncodeToString(b[:])
}

// Connect connects to a broker, and anew whenever the connection is lost.
func Connect(url string, with ...nats.Option) (*nats.Conn, error) {
	if err := urls(url); err != nil {
		return nil, err
	}
	c, err := nats.Connect(url, append([]nats.Option{nats.Name("r2sgld"), nats.MaxReconnects(-1), nats.ReconnectWait(500 * time.Millisecond),
		nats.ReconnectJitter(200*time.Millisecond, 200*time.Millisecond), nats.Timeout(patience), nats.PingInterval(2 * time.Second),
		nats.MaxPingsOutstanding(3), nats.ReconnectBufSize(-1), nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {})}, with...)...)
	switch {
	case err == nil:
		return c, nil
	case errors.Is(err, nats.ErrAuthorization):
		return nil, errors.New("the broker refuses the token: take the whole line that the run, or hub, has printed")
	case Absent(err):
		return nil, fmt.Errorf("no broker answers at %s: %w", plain(url), err)
	}
	return nil, fmt.Errorf("the broker at %s: %w", plain(url), err)
}

// Absent reports whether a broker could not be reached, or did not answer, and may do so later.
func Absent(err error) bool {
	var broken *net.OpError
	var name *net.DNSError
	return errors.Is(err, nats.ErrNoServers) || errors.Is(err, nats.ErrTimeout) || errors.Is(err, io.EOF) || errors.As(err, &name) ||
		errors.As(err, &broken) && slices.Contains([]string{"dial", "read", "write"}, broken.Op)
}

// unsent is why a message was not sent, in our words where the broker is not there.
func unsent(err error) error {
	if errors.Is(err, nats.ErrReconnectBufExceeded) || errors.Is(err, nats.ErrConnectionReconnecting) {
		return errors.New("the broker does not answer")
	}
	return err
}

// urls says what is wrong with the URLs of brokers, with commas between them.
func urls(all string) error {
	for _, s := range strings.Split(all, ",") {
		u, err := url.Parse(strings.TrimSpace(s))
		if err != nil || u.Host == "" || u.Scheme != "nats" && u.Scheme != "tls" {
			return fmt.Errorf("%q is no URL of a broker, such as nats://TOKEN@HOST:4222, or tls:// with TLS", plain(s))
		}
	}
	return nil
}

// plain is URLs without their tokens.
func plain(urls string) string {
	all := strings.Split(urls, ",")
	for i, s := range all {
		scheme, _, ok := strings.Cut(s, "://")
		if _, host, token := strings.Cut(s, "@"); token && ok {
			all[i] = scheme + "://" + host
		} else if token {
			all[i] = host
		}
	}
	return strings.Join(all, ",")
}
