# make demo    posterior of a predator–prey model of real data, table and figures
# make test    every test
GO ?= go
BIN := bin/r2sgld

build:
	$(GO) build -o $(BIN) ./cmd/r2sgld

# Into go install's folder, the worker program too if make torch has built it.
install:
	$(GO) install ./cmd/r2sgld
	@dir=$$($(GO) env GOBIN); dir=$${dir:-$$($(GO) env GOPATH)/bin}; [ ! -x bin/r2sgld-torch ] || cp bin/r2sgld-torch "$$dir/"

# The main job on real data: the lynx–hare pelts under positivity constraints.
demo: build
	$(BIN) identify examples/lynx-hare.yaml --out runs/demo --force

# All tests, those of the worker program for networks with it. The core needs Go
# alone: in go test ./... without the worker program, tests of it are skipped, and say so.
# Tests wait for disks and programs: of packages one more runs than there are processors.
test: torch
	script/setup test
	$(GO) test -p $$(($$(getconf _NPROCESSORS_ONLN) + 1)) -parallel 4 -timeout 30m ./...

# The worker program behind r2sgld train, bin/r2sgld-torch. LIBTORCH is the folder of
# a libtorch or of a Python torch package, CUDA included; without it, Debian's.
torch: build
	script/setup torch
	$(MAKE) --no-print-directory -C internal/bnn/torch/worker LIBTORCH=$(if $(LIBTORCH),$(abspath $(LIBTORCH))) OUT=$(CURDIR)/bin/r2sgld-torch

# Tests under the race detector, with the smaller sizes.
race:
	$(GO) test -race -timeout 1h ./...

# The slow statistical runs, 10⁸ reflections over all domains and more, runs that are
# killed, damaged and out of space, and the first two commands on a pristine machine.
soak:
	R2SGLD_SOAK=1 $(GO) test -timeout 3h $$($(GO) list ./... | grep -v /cmd/)
	script/soak
	script/mutants-torch
	script/fresh

# Speed against the C baseline, built here and run in the same minute, of gradients by row
# against the memory, and of training steps against the usual PyTorch loop.
bench:
	script/bench
	script/bench-vector
	script/bench-polytope
	script/bench-harmonic
	script/bench-rows
	script/bench-torch

# Faults put into the source on purpose; each must fail a test. Those of the worker
# program are rebuilt one by one, which takes minutes.
mutants:
	script/mutants

mutants-torch:
	script/mutants-torch

# The real clients read our files: ArviZ, xarray, CmdStanPy, posterior, rstan, PyTorch;
# and the Python package from a fresh virtual environment.
interop: build
	script/interop
	script/interop-torch
	script/interop-python
	script/interop-r

# The report of the paper's studies in headless Chromium: figures and table are
# there and can be read, on a phone and in the dark.
browser: build
	$(BIN) reproduce all --scale smoke --out runs/browser --force --quiet
	script/browser runs/browser/report.html runs/browser/screenshots

# The same targets by other programs, posteriordb's posteriors among them; RELEASED=CLONE, a checkout of
# github.com/haoyangzheng1996/r2SGLD, puts the paper's Python code beside ours.
peers: build
	script/peers
	script/setup stan
	script/posteriordb

# The paper's studies, as much as it ran: a report in runs/paper.
reproduce: build
	$(BIN) reproduce all --out runs/paper --force

# The figures of README.md.
figures: build
	$(BIN) sample examples/flower.yaml --out runs/flower --force --quiet
	cp runs/flower/figures/pairs.png docs/flower.png
	$(BIN) reproduce multimodal --out runs/multimodal --force --quiet
	cp runs/multimodal/figures/multimodal-path.gif docs/flower.gif

lint:
	@test -z "$$(gofmt -l .)" || { gofmt -l .; echo "run gofmt -w on these"; exit 1; }
	$(GO) vet ./...
	$(GO) run honnef.co/go/tools/cmd/staticcheck@v0.8.2 ./...
	script/generated

.PHONY: build install demo test torch race soak bench mutants mutants-torch interop browser peers reproduce figures lint
