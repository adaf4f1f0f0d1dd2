package job

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/r2sgld/r2sgld/internal/figure"
)

// FigureFiles are the files that figures of these names may leave.
func FigureFiles(names ...string) []string {
	var out []string
	for _, name := range names {
		out = append(out, "figures/"+name+".svg", "figures/"+name+".png")
	}
	return out
}

// Pictures are the figures of a run as they are drawn, one by one.
type Pictures struct {
	Names    []string                             // of those that are written
	Warnings []string                             // of those that no picture shows
	Write    func(name string, data []byte) error // takes the files
}

// Add draws and writes a figure. One whose numbers no picture shows is a warning: the
// numbers are whole. A nil figure is none. The error is that of ctx, or of writing.
func (p *Pictures) Add(ctx context.Context, name string, f *figure.Figure, err error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		p.Warnings = append(p.Warnings, fmt.Sprintf("no figure %s: %v.", name, err))
		return nil
	case f == nil:
		return nil
	}
	svg, png, err := Draw(f)
	if err != nil {
		return err
	}
	for i, data := range [][]byte{svg, png} {
		if err := p.Write(FigureFiles(name)[i], data); err != nil {
			return err
		}
	}
	p.Names = append(p.Names, name)
	return nil
}

// Draw draws a figure in the formats of [FigureFiles].
func Draw(f *figure.Figure) (svg, png []byte, err error) {
	var vectors, dots bytes.Buffer
	err = errors.Join(f.WriteSVG(&vectors), f.WritePNG(&dots))
	return vectors.Bytes(), dots.Bytes(), err
}

// A File is what is to be written into a run folder.
type File struct {
	Name string
	Data []byte
}

// A Sheaf is files that are written later, all at once.
type Sheaf []File

// Add adds a file.
func (s *Sheaf) Add(name string, data []byte) error {
	*s = append(*s, File{name, data})
	return nil
}

// Into writes them into a folder.
func (s Sheaf) Into(f *Folder) error {
	for _, file := range s {
		if err := f.WriteFile(file.Name, file.Data); err != nil {
			return err
		}
	}
	return nil
}
