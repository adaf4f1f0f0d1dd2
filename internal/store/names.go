package store

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// arrayNames gives each name one that is fit for a folder, different from all
// others and from those taken even where case is ignored. Names stay as they
// are where they can: only what breaks paths is escaped as %XX.
func arrayNames(names []string, taken ...string) []string {
	used := map[string]bool{}
	for _, t := range taken {
		used[strings.ToLower(t)] = true
	}
	safe := make([]string, len(names))
	for i, n := range names {
		safe[i] = unique(escapePath(n), "~", func(s string) bool { return used[strings.ToLower(s)] })
		used[strings.ToLower(safe[i])] = true
	}
	return safe
}

// unique appends a separator and 2, 3, … to s until it is not used.
func unique(s, separator string, used func(string) bool) string {
	c := s
	for i := 2; used(c); i++ {
		c = s + separator + strconv.Itoa(i)
	}
	return c
}

func escapePath(name string) string {
	var b strings.Builder
	for i, r := range name {
		bad := r == '/' || r == '\\' || r == '%' || r == unicode.ReplacementChar || unicode.IsControl(r) || i == 0 && r == '.'
		if !bad {
			b.WriteRune(r)
			continue
		}
		for _, c := range []byte(string(r)) {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// stanNames gives each name one that Stan could have written: letters, digits
// and underscores, beginning with a letter and not ending with two
// underscores, all different and none of them chain or draw, which ArviZ takes
// for its own. Elements of a whole vector or array, "x[1]",
// "x[2]" or "x.1", "x.2", become x.1, x.2 as in Stan's files, those of a matrix
// whose rows or columns have names, "x[A,1]", "x[B,1]", "x[A,2]", "x[B,2]", likewise.
func stanNames(names []string) []string {
	out := make([]string, len(names))
	used := map[string]bool{"chain": true, "draw": true}
	index, place := arrays(names), grids(names)
	for i, n := range names {
		if base, at := splitIndex(n); index[i] {
			out[i] = base + "." + joinInts(at, ".")
			used[base] = true
		} else if place[i] != nil {
			base, _, _ := labelled(n)
			out[i] = base + "." + joinInts(place[i], ".")
			used[base] = true
		} else if n == legal(n) && !used[n] {
			out[i] = n
			used[n] = true
		}
	}
	for i, n := range names {
		if out[i] == "" {
			out[i] = unique(legal(n), "_", func(s string) bool { return used[s] })
			used[out[i]] = true
		}
	}
	return out
}

// arrays says of each name whether it is an element of an array that is there
// as a whole, in one piece, its first index varying fastest.
func arrays(names []string) []bool {
	element := make([]bool, len(names))
	scalar := map[string]bool{}
	for _, n := range names {
		if _, at := splitIndex(n); at == nil {
			scalar[n] = true
		}
	}
	seen := map[string]bool{}
	for i := 0; i < len(names); {
		base, _ := splitIndex(names[i])
		end := i + 1
		for end < len(names) {
			if b, at := splitIndex(names[end]); at == nil || b != base {
				break
			}
			end++
		}
		if !seen[base] && !scalar[base] && base == legal(base) && base != "chain" && base != "draw" && wholeArray(names[i:end]) {
			for k := i; k < end; k++ {
				element[k] = true
			}
		} else {
			for k := range names[:i] { // a base that comes in two pieces is no array
				if b, at := splitIndex(names[k]); at != nil && b == base {
					element[k] = false
				}
			}
		}
		seen[base] = true
		i = end
	}
	return element
}

// grids are the indices of each name that is an entry of a matrix which is there as a whole, in one piece,
// the first index varying fastest, and whose rows or columns have names; nil of others.
func grids(names []string) [][]int {
	place := make([][]int, len(names))
	for i := 0; i < len(names); {
		base, _, _ := labelled(names[i])
		end := i + 1
		for ; end < len(names) && base != ""; end++ {
			if b, _, _ := labelled(names[end]); b != base {
				break
			}
		}
		others := func(n string) bool {
			return n == base || strings.HasPrefix(n, base+"[") || strings.HasPrefix(n, base+".")
		}
		if base == legal(base) && base != "chain" && base != "draw" && !slices.ContainsFunc(names[:i], others) &&
			!slices.ContainsFunc(names[end:], others) {
			copy(place[i:end], grid(names[i:end]))
		}
		i = end
	}
	return place
}

// grid are the indices of names that make a matrix of two rows or more and two columns or more; nil where
// they make none. Entries of a vector that have commas in their names are sorted, and never do.
func grid(names []string) (place [][]int) {
	_, _, first := labelled(names[0])
	rows := 0
	for rows < len(names) {
		if _, _, column := labelled(names[rows]); column != first {
			break
		}
		rows++
	}
	if rows < 2 || len(names) < 2*rows || len(names)%rows != 0 {
		return nil
	}
	for k, n := range names {
		_, row, column := labelled(n)
		_, _, head := labelled(names[k-k%rows])
		if _, same, _ := labelled(names[k%rows]); row != same || column != head {
			return nil
		}
		place = append(place, []int{k%rows + 1, k/rows + 1})
	}
	return place
}

// labelled splits "x[A,1]" into x, A and 1; the base is "" of other names.
func labelled(name string) (base, row, column string) {
	base, index, _ := strings.Cut(name, "[")
	index, closed := strings.CutSuffix(index, "]")
	row, column, ok := strings.Cut(index, ",")
	if !ok || !closed || row == "" || column == "" || strings.Contains(column, ",") {
		return "", "", ""
	}
	return base, row, column
}

func wholeArray(names []string) bool {
	_, last := splitIndex(names[len(names)-1])
	if last == nil {
		return false
	}
	size := 1
	for _, n := range last {
		if size *= n; size > len(names) {
			return false
		}
	}
	if size != len(names) {
		return false
	}
	for k, n := range names {
		_, at := splitIndex(n)
		if len(at) != len(last) {
			return false
		}
		for j, d := range last {
			if at[j] != k%d+1 {
				return false
			}
			k /= d
		}
	}
	return true
}

// splitIndex splits "x[1,2]" and "x.1.2" into "x" and 1, 2. The index is nil
// for other names.
func splitIndex(name string) (base string, at []int) {
	var list, separator string
	if open := strings.IndexByte(name, '['); open > 0 && strings.HasSuffix(name, "]") {
		base, list, separator = name[:open], name[open+1:len(name)-1], ","
	} else if dot := strings.IndexByte(name, '.'); dot > 0 {
		base, list, separator = name[:dot], name[dot+1:], "."
	} else {
		return name, nil
	}
	for s := range strings.SplitSeq(list, separator) {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 || strconv.Itoa(n) != s {
			return name, nil
		}
		at = append(at, n)
	}
	return base, at
}

func joinInts(at []int, separator string) string {
	s := make([]string, len(at))
	for i, n := range at {
		s[i] = strconv.Itoa(n)
	}
	return strings.Join(s, separator)
}

// legal maps a name to letters, digits and underscores: Greek letters to their
// names, everything else that Stan would not take to underscores.
func legal(name string) string {
	var b strings.Builder
	for _, r := range name {
		switch {
		case r < 128 && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_'):
			b.WriteRune(r)
		case greek(r) != "":
			b.WriteString(greek(r))
		default:
			b.WriteByte('_')
		}
	}
	s := b.String()
	if s != name || strings.HasSuffix(s, "__") { // that ending is reserved for the sampler's own columns
		s = strings.TrimRight(s, "_")
	}
	if s == "" || !(s[0] < 128 && unicode.IsLetter(rune(s[0]))) {
		s = "p" + s
	}
	return s
}

func greek(r rune) string {
	const lower = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma sigma tau upsilon phi chi " +
		"psi omega"
	upper := unicode.IsUpper(r)
	i := unicode.ToLower(r) - 'α'
	names := strings.Fields(lower)
	if i < 0 || int(i) >= len(names) {
		return ""
	}
	if n := names[i]; !upper {
		return n
	} else {
		return strings.ToUpper(n[:1]) + n[1:]
	}
}
