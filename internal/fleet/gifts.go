package fleet

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"sync"
)

// gifts are files that a run gives to workers, in a folder that ends with it.
type gifts struct {
	mu    sync.Mutex
	dir   string
	known map[string]gift // by their hashes
	brief Brief           // has them as files
}

// of is the gift of some bytes.
func (g *gifts) of(b []byte) (gift, error) {
	sum := sha256.Sum256(b)
	name := hex.EncodeToString(sum[:])
	g.mu.Lock()
	defer g.mu.Unlock()
	if one, ok := g.known[name]; ok {
		return one, nil
	}
	var err error
	if g.dir == "" {
		if g.dir, err = os.MkdirTemp("", "r2sgld-"); err != nil {
			return gift{}, err
		}
		g.known = map[string]gift{}
	}
	path := filepath.Join(g.dir, strconv.Itoa(len(g.brief.Files)))
	if err := os.WriteFile(path, b, 0o600); err != nil {
		return gift{}, errors.Join(err, os.Remove(path))
	}
	one := gift{File: File{SHA256: name, Size: int64(len(b))}, Number: len(g.brief.Files)}
	g.brief.Files = append(g.brief.Files, File{Path: path, SHA256: name, Size: one.Size})
	g.known[name] = one
	return one, nil
}

// read reads the piece of a gift that a worker asks for: nothing where there is none.
func (g *gifts) read(question []byte) []byte {
	g.mu.Lock()
	brief := g.brief
	g.mu.Unlock()
	return brief.read(question)
}

// close removes them.
func (g *gifts) close() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.dir == "" {
		return nil
	}
	return os.RemoveAll(g.dir)
}
