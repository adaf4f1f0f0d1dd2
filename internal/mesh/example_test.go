package mesh_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/internal/mesh"
)

// A heart in 11 × 10 cells, drawn from above: whole cells are ##, cut cells show
// the per cent of them that lies inside, and the sum of two parts where the cusp at
// the top divides a cell.
func ExampleNew() {
	heart, err := domain.NewHeart(1)
	if err != nil {
		panic(err)
	}
	m, err := mesh.New(context.Background(), heart, 11)
	if err != nil {
		panic(err)
	}
	cells := make([]float64, m.Shape[0]*m.Shape[1])
	for i, k := range m.Index {
		cells[k] += m.Volume[i] / (m.Side[0] * m.Side[1])
	}
	fmt.Println("from above:")
	for row := m.Shape[1] - 1; row >= 0; row-- {
		var line strings.Builder
		for _, share := range cells[row*m.Shape[0] : (row+1)*m.Shape[0]] {
			switch {
			case share == 0:
				line.WriteString("  .")
			case share > 0.9999:
				line.WriteString(" ##")
			default:
				fmt.Fprintf(&line, " %02d", int(100*share))
			}
		}
		fmt.Println(line.String())
	}
	length, err := mesh.Diameter(context.Background(), heart)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%d cells, %d faces, area %.6f, diameter %.6f\n", len(m.Index), len(m.Faces), m.Total(), length)
	// Output:
	// from above:
	//  05 64 96 88 35  . 35 88 96 64 05
	//  66 ## ## ## 99 40 99 ## ## ## 66
	//  97 ## ## ## ## 97 ## ## ## ## 97
	//  87 ## ## ## ## ## ## ## ## ## 87
	//  41 ## ## ## ## ## ## ## ## ## 41
	//  00 59 ## ## ## ## ## ## ## 59 00
	//   . 00 53 99 ## ## ## 99 53 00  .
	//   .  .  . 39 98 ## 98 39  .  .  .
	//   .  .  .  . 37 99 37  .  .  .  .
	//   .  .  .  .  . 36  .  .  .  .  .
	// 84 cells, 145 faces, area 5.654867, diameter 3.200000
}
