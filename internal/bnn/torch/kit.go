package torch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"

	"github.com/r2sgld/r2sgld/internal/bnn"
)

// kitSaid is what a worker says that is asked for a device which it does not have.
var kitSaid = regexp.MustCompile(`this worker, ([^,]+), has ([a-z0-9:, ]+)$`)

// Inspect asks the program of a path what it computes with: its library with its version, as in
// libtorch 1.13.1, and devices, as cpu and cuda:0. Its errors are those of [Open].
func Inspect(ctx context.Context, path string) (library string, devices []string, err error) {
	least := bnn.Setup{Network: bnn.Network{Kind: "mlp", Input: [3]int{1, 1, 1}, Outputs: 1}, Replicas: 1}
	e, err := Open(ctx, least, Options{Worker: path, Devices: []string{"none"}})
	if err == nil {
		return "", nil, errors.Join(fmt.Errorf("%s has a device named none", path), e.Close())
	}
	var failed *Failed
	if !errors.As(err, &failed) || failed.Reason != NoDevice {
		return "", nil, err
	}
	said := kitSaid.FindStringSubmatch(failed.Text)
	if said == nil {
		return "", nil, fmt.Errorf("%s does not tell what devices it has, but %q: %s", path, failed.Text, remedy)
	}
	return said[1], strings.Split(said[2], ", "), nil
}

// visible is the variable that says which devices CUDA has, in their order.
const visible = "CUDA_VISIBLE_DEVICES"

// StartOn starts the program of a path so that it finds one device alone, whatever it is asked
// for; [Within] is the name that the device has there.
func StartOn(path, device string) (*Local, error) {
	number, cuda := strings.CutPrefix(device, "cuda")
	if !cuda {
		return Start(path, visible+"=")
	}
	k, err := strconv.Atoi(strings.TrimPrefix(number, ":"))
	if number == "" {
		k, err = 0, nil
	}
	if err != nil || k < 0 {
		return nil, fmt.Errorf("no device %q", device)
	}
	name := strconv.Itoa(k)
	if all, ok := os.LookupEnv(visible); ok {
		names := strings.Split(all, ",")
		if k >= len(names) {
			return nil, fmt.Errorf("no device %q among %s=%s", device, visible, all)
		}
		name = names[k]
	}
	return Start(path, visible+"="+name)
}

// Within is the name of a device in a program that finds it alone.
func Within(device string) string {
	if KindOf(device) == "cuda" {
		return "cuda:0"
	}
	return device
}

// KindOf is cpu or cuda.
func KindOf(device string) string {
	kind, _, _ := strings.Cut(device, ":")
	return kind
}
