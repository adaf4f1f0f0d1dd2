package images

import (
	"errors"
	"fmt"
	"image"
	"image/color"
	_ "image/jpeg" // a format of loadPictures
	_ "image/png"  // likewise
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// loadPictures reads a folder with train/ and test/, or a training set alone.
func loadPictures(folder string) (train, test *Set, err error) {
	name := filepath.Base(filepath.Clean(folder))
	in := filepath.Join(folder, "train")
	if _, err := os.Stat(in); errors.Is(err, fs.ErrNotExist) {
		train, err = readPictures(folder, name)
		return train, nil, err
	}
	if train, err = readPictures(in, name+", training"); err != nil {
		return nil, nil, err
	}
	if test, err = readPictures(filepath.Join(folder, "test"), name+", test"); err != nil {
		return nil, nil, err
	}
	if !slices.Equal(train.Names, test.Names) {
		return nil, nil, fmt.Errorf("%s: train/ has the classes %v, test/ %v: they must be the same", folder, train.Names, test.Names)
	}
	for _, s := range []*Set{train, test} {
		if max(train.Channels, test.Channels) == 3 && s.Channels == 1 {
			*s = *s.colour(3)
		}
	}
	return train, test, nil
}

// A picture is a file and the class of it.
type picture struct {
	path  string
	class int32
}

// readPictures reads a set: its classes are the subfolders, in the order of their
// names. One coloured picture makes all coloured. Depths of 16 bits are cut to 8, and
// what is transparent becomes black.
func readPictures(folder, name string) (*Set, error) {
	s := &Set{Name: name}
	files, err := s.list(folder)
	if err != nil {
		return nil, err
	}
	s.Channels = 1
	for i, f := range files { // sizes of all before memory is asked for
		c, err := measure(f.path)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			s.Height, s.Width = c.Height, c.Width
		}
		if c.Height != s.Height || c.Width != s.Width {
			return nil, fmt.Errorf("%s is of %d × %d pixels, %s of %d × %d: scale all pictures to one size", f.path, c.Width, c.Height,
				files[0].path, s.Width, s.Height)
		}
		if c.ColorModel != color.GrayModel && c.ColorModel != color.Gray16Model {
			s.Channels = 3
		}
	}
	each := s.Channels * s.Height * s.Width
	s.Pixels = make([]byte, len(files)*each)
	s.Labels = make([]int32, len(files))
	for i, f := range files {
		s.Labels[i] = f.class
		if err := s.decode(f.path, s.Pixels[i*each:(i+1)*each]); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// list finds the classes and the files of each.
func (s *Set) list(folder string) (files []picture, err error) {
	classes, err := os.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("pictures: %s: %w", source[Images], err)
	}
	for _, c := range classes {
		if !c.IsDir() || strings.HasPrefix(c.Name(), ".") {
			continue
		}
		entries, err := os.ReadDir(filepath.Join(folder, c.Name()))
		if err != nil {
			return nil, fmt.Errorf("pictures: %w", err)
		}
		before := len(files)
		for _, e := range entries {
			switch strings.ToLower(filepath.Ext(e.Name())) {
			case ".png", ".jpg", ".jpeg":
				files = append(files, picture{filepath.Join(folder, c.Name(), e.Name()), int32(len(s.Names))})
			}
		}
		if len(files) == before {
			return nil, fmt.Errorf("%s: has no PNG or JPEG file: remove it or put the pictures of class %q there",
				filepath.Join(folder, c.Name()), c.Name())
		}
		s.Names = append(s.Names, c.Name())
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s: no subfolders with pictures: %s", folder, source[Images])
	}
	s.Classes = len(s.Names)
	return files, nil
}

// measure reads the header of a picture and sees whether the file can fill it.
func measure(path string) (image.Config, error) {
	f, err := os.Open(path)
	if err != nil {
		return image.Config{}, fmt.Errorf("pictures: %w", err)
	}
	defer f.Close()
	c, _, err := image.DecodeConfig(f)
	if err != nil {
		return c, fmt.Errorf("%s: no PNG or JPEG picture: replace or remove it: %w", path, err)
	}
	info, err := f.Stat()
	if err != nil {
		return c, fmt.Errorf("pictures: %w", err)
	}
	// A byte of deflate makes 1032, and each of these 8 pixels of one bit.
	if c.Width < 1 || c.Height < 1 || int64(c.Width) > 8*deflateRatio*info.Size()/int64(c.Height) {
		return c, fmt.Errorf("%s: %d bytes cannot hold %d × %d pixels: damaged: replace or remove it", path, info.Size(), c.Width, c.Height)
	}
	return c, nil
}

// decode writes the pixels of a picture by channels.
func (s *Set) decode(path string, to []byte) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("pictures: %w", err)
	}
	defer f.Close()
	m, _, err := image.Decode(f)
	if err != nil {
		return fmt.Errorf("%s: damaged: replace or remove it: %w", path, err)
	}
	corner, plane := m.Bounds().Min, s.Height*s.Width
	for y := range s.Height {
		for x := range s.Width {
			r, g, b, _ := m.At(corner.X+x, corner.Y+y).RGBA()
			at := y*s.Width + x
			to[at] = byte(r >> 8)
			if s.Channels == 3 {
				to[at+plane], to[at+2*plane] = byte(g>>8), byte(b>>8)
			}
		}
	}
	return nil
}
