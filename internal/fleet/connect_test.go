//go:build !nohub

package fleet

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
)

// certificate makes one for this machine, signed by itself.
func certificate(t *testing.T) (c *tls.Certificate, file string) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	of := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "hub"}, NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, of, of, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, file
}

// TestTLS: with a certificate the broker speaks TLS alone, from within too, and who does not
// know its issuer does not trust it.
func TestTLS(t *testing.T) {
	t.Parallel()
	cert, ca := certificate(t)
	b, err := Listen("127.0.0.1:0", NewToken(), "", cert)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	url := b.URL()
	if !strings.HasPrefix(url, "tls://") {
		t.Error(url)
	}
	within, err := b.Connect()
	if err != nil {
		t.Fatal(err)
	}
	defer within.Close()
	ear, err := within.SubscribeSync("x")
	if err != nil || within.Flush() != nil {
		t.Fatal(err)
	}
	conn, err := Connect(url, nats.RootCAs(ca))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.Publish("x", []byte("hello")); err != nil {
		t.Fatal(err)
	}
	if m, err := ear.NextMsg(patience); err != nil || string(m.Data) != "hello" {
		t.Error(m, err)
	}
	if c, err := Connect(url); err == nil {
		c.Close()
		t.Error("a stranger's certificate is trusted")
	} else if Absent(err) || strings.Contains(err.Error(), b.token) {
		t.Errorf("tried again, or tells the token: %v", err)
	}
}

// TestConnect: what is wrong with an address or a URL is told without the token.
func TestConnect(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{"4222": "give HOST:PORT", ":x": "a port is a number", ":70000": "a port is a number",
		"203.0.113.1:4222": "cannot listen"} {
		if b, err := Listen(address, "t", "", nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v", address, b, err)
		}
	}
	b, err := Listen("127.0.0.1:0", "secret", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	address := strings.Split(b.URL(), "@")[1]
	if again, err := Listen(address, "t", "", nil); err == nil || !strings.Contains(err.Error(), "cannot listen") {
		t.Errorf("twice at %s: %v, %v", address, again, err)
	}
	b.Close()
	for url, want := range map[string]string{"secret@host:4222": "no URL of a broker", "http://secret@host": "no URL",
		"nats://secret@" + address: "no broker answers",
		"":                         "no URL", "nats://secret@a:1,nope": "no URL"} {
		c, err := Connect(url)
		if err == nil {
			c.Close()
			t.Errorf("%s is connected to", url)
		} else if !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") ||
			Absent(err) != (want == "no broker answers") {
			t.Errorf("%s: %v", url, err)
		}
	}
	if got := plain("nats://t@a:1,tls://u:p@b"); got != "nats://a:1,tls://b" {
		t.Error(got)
	}
}

// TestAbsent: a broker behind a line that breaks off, as a proxy's does, may be there later.
func TestAbsent(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_ = c.Close()
		}
	}()
	c, err := Connect("nats://t@" + l.Addr().String())
	if err == nil {
		c.Close()
	}
	if !Absent(err) {
		t.Errorf("%v is the end", err)
	}
}
