package images

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// source says where data of a kind are to be had.
var source = map[Kind]string{
	IDX:      "Fashion-MNIST is the Debian package dataset-fashion-mnist (folder /usr/share/datasets/fashion-mnist)",
	CIFAR10:  `get "CIFAR-10 binary version" from cs.toronto.edu/~kriz/cifar.html and unpack it there`,
	CIFAR100: `get "CIFAR-100 binary version" from cs.toronto.edu/~kriz/cifar.html and unpack it there`,
	Images:   "it must hold train/ and test/ with a subfolder of PNG or JPEG files for each class",
	NPZ:      "it must hold train.npz and test.npz, with arrays x and y, or one .npz file with x_train, y_train, x_test, y_test",
}

func isFolder(folder string, kind Kind) error {
	info, err := os.Stat(folder)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("no folder %s with data of kind %s: %s: %w", folder, kind, source[kind], fs.ErrNotExist)
	case err != nil:
		return fmt.Errorf("data of kind %s: %w", kind, err)
	case !info.IsDir():
		return fmt.Errorf("%s is a file, where a folder with data of kind %s was expected", folder, kind)
	}
	return nil
}

// find returns the first of the names that is in the folder.
func find(folder string, kind Kind, names ...string) (string, error) {
	for _, n := range names {
		path := filepath.Join(folder, n)
		if info, err := os.Stat(path); err == nil && !info.IsDir() {
			return path, nil
		}
	}
	return "", fmt.Errorf("%s: no file %s: %s: %w", folder, strings.Join(names, " or "), source[kind], fs.ErrNotExist)
}

// readSized reads a file, packed by gzip or not, that starts with a header of the
// given length from which size tells how long the whole is. It returns what follows
// the header.
func readSized(path string, header int, size func([]byte) (int64, error)) (body []byte, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("data: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("data: %w", err)
	}
	var r io.Reader = bufio.NewReader(f)
	most := info.Size()
	if start, _ := r.(*bufio.Reader).Peek(2); bytes.Equal(start, []byte{0x1f, 0x8b}) {
		if r, err = gzip.NewReader(r); err != nil {
			return nil, damaged(path, err)
		}
		most *= deflateRatio
	}
	head := make([]byte, header)
	if _, err := io.ReadFull(r, head); err != nil {
		return nil, damaged(path, err)
	}
	want, err := size(head)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if want > most {
		return nil, fmt.Errorf("%s: cut short: by its header it has %d bytes, and it cannot have more than %d: get it again", path, want, most)
	}
	body, err = io.ReadAll(io.LimitReader(r, want-int64(header)+1)) // one more, to see the end
	if err != nil {
		return nil, damaged(path, err)
	}
	if got := int64(header + len(body)); got != want {
		return nil, fmt.Errorf("%s: by its header it has %d bytes, found %s: get it again", path, want, atLeast(got, want))
	}
	return body, nil
}

// deflateRatio is the most bytes that deflate makes of one.
const deflateRatio = 1032

func atLeast(got, want int64) string {
	if got > want {
		return "more"
	}
	return fmt.Sprint(got)
}

// damaged says what is wrong with a file that ends too early or fails its checksum.
func damaged(path string, err error) error {
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%s: cut short: get it again: %w", path, io.ErrUnexpectedEOF)
	case errors.Is(err, gzip.ErrChecksum), errors.Is(err, gzip.ErrHeader):
		return fmt.Errorf("%s: damaged: get it again: %w", path, err)
	}
	return fmt.Errorf("%s: damaged or unreadable: get it again: %w", path, err)
}
