package figure

import (
	"fmt"
	"image/color"
	"maps"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// methodLine returns how a method is drawn in every figure, none in ink. What
// moves the chain gives the hue (one chain orange, cyclical steps green, replica
// exchange blue), what keeps it inside the rest: reflection is a full line,
// a penalty dashed and paler, nothing dotted and darker. Projection and
// its kin are purple. What is known is told by a thin line.
func methodLine(method string) (draw.LineStyle, error) {
	if method == "" {
		return draw.LineStyle{Color: ink, Width: 1}, nil
	}
	looks := methodLooks()
	look, ok := looks[method]
	if !ok {
		known := slices.Sorted(maps.Keys(looks))
		return look, fmt.Errorf("figure: method %q has no colour: name one of %s, or none", method, strings.Join(known, ", "))
	}
	return look, nil
}

func methodLooks() map[string]draw.LineStyle {
	line := func(r, g, b uint8, width vg.Length, dashes ...vg.Length) draw.LineStyle {
		return draw.LineStyle{Color: color.NRGBA{R: r, G: g, B: b, A: 255}, Width: width, Dashes: dashes}
	}
	full, dashed, dotted, mixed := []vg.Length(nil), []vg.Length{4.5, 1.8}, []vg.Length{1.2, 1.5}, []vg.Length{5, 1.5, 1.2, 1.5}
	return map[string]draw.LineStyle{
		"r-sgld":    line(230, 159, 0, 1.3, full...),
		"r-cycsgld": line(0, 158, 115, 1.3, full...),
		"r2sgld":    line(0, 114, 178, 1.5, full...),

		"p-sgld":    line(240, 190, 90, 1.2, dashed...),
		"p-cycsgld": line(112, 201, 170, 1.2, dashed...),
		"p-resgld":  line(86, 180, 233, 1.2, dashed...),

		"sgld":    line(140, 92, 0, 1.2, dotted...),
		"cycsgld": line(0, 97, 70, 1.2, dotted...),
		"resgld":  line(0, 62, 105, 1.2, dotted...),

		"projected-sgld": line(204, 121, 167, 1.3, full...),
		"myula":          line(224, 172, 203, 1.2, dashed...),
		"mirror-sgld":    line(130, 55, 100, 1.2, mixed...),
		"rejection-sgld": line(140, 140, 140, 1.2, mixed...),
		"r-hmc":          line(0, 0, 0, 1.1, full...),

		"truth": {Color: truth, Width: 1.2, Dashes: []vg.Length{4, 2}},
		"iid":   {Color: ink, Width: 0.8, Dashes: []vg.Length{2, 2}},
	}
}
