package fleet

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"sync"
)

// gifts are files that a run gives to workers. They have no name, so that nothing is left of them however
// the run ends; where a file that is open keeps its name, close removes it.
type gifts struct {
	mu    sync.Mutex
	known map[string]gift // by their hashes
	files []*os.File      // by their numbers
	named []string        // those that keep their names
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
	f, err := os.CreateTemp("", "r2sgld-")
	if err != nil {
		return gift{}, err
	}
	if os.Remove(f.Name()) != nil {
		g.named = append(g.named, f.Name())
	}
	if _, err := f.Write(b); err != nil {
		return gift{}, errors.Join(err, f.Close())
	}
	if g.known == nil {
		g.known = map[string]gift{}
	}
	one := gift{File: File{SHA256: name, Size: int64(len(b))}, Number: len(g.files)}
	g.files, g.known[name] = append(g.files, f), one
	return one, nil
}

// read reads the piece of a gift that a worker asks for: nothing where there is none.
func (g *gifts) read(question []byte) []byte {
	var p pieceOf
	if json.Unmarshal(question, &p) != nil {
		return nil
	}
	g.mu.Lock()
	files := g.files
	g.mu.Unlock()
	if p.File < 0 || p.File >= len(files) {
		return nil
	}
	return p.of(files[p.File])
}

// close removes them.
func (g *gifts) close() (err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, f := range g.files {
		err = errors.Join(err, f.Close())
	}
	for _, name := range g.named {
		err = errors.Join(err, os.Remove(name))
	}
	return err
}
