package images

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
)

// Fingerprint is the hash of examples: 64 hexadecimal digits.
func Fingerprint(sets ...*Set) (string, error) {
	h := sha256.New()
	for _, s := range sets {
		if s == nil {
			continue
		}
		shape := []int64{int64(s.Channels), int64(s.Height), int64(s.Width), int64(s.Classes)}
		for _, v := range []any{shape, s.Pixels, s.Values, s.Labels, s.Targets} {
			if err := binary.Write(h, binary.LittleEndian, v); err != nil {
				return "", fmt.Errorf("hash of %s: %w", s.Name, err)
			}
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
