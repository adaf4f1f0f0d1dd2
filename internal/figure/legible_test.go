package figure

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

// Names with control characters are drawn with these written out, in XML that can be
// read. Kills letters that go to the canvas as they come.
func TestLegible(t *testing.T) {
	wicked := "a\x00\x1b[31m\u202e\u009b\x7f<&\"\xff"
	f, err := Traces([]Ladders{{Axis: Axis{Name: wicked, Unit: "\a"}, Draws: [][]float64{{1, 2, 3}, {2, 1, 3}}}})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := f.WriteSVG(&b); err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for d := xml.NewDecoder(bytes.NewReader(b.Bytes())); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if letters, ok := token.(xml.CharData); ok {
			text.Write(letters)
		}
	}
	if want := `a\u0000\u001b[31m\u202e\u009b\u007f<&"\xff (\u0007)`; !strings.Contains(text.String(), want) {
		t.Errorf("%q lacks %q", text.String(), want)
	}
	if err := f.WritePNG(io.Discard); err != nil {
		t.Error(err)
	}
}
