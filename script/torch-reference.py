"""What PyTorch's own modules compute for the networks of `train`.

usage: OMP_NUM_THREADS=1 /usr/bin/python3 script/torch-reference.py > internal/bnn/torch/testdata/parity.json

Needs PyTorch 1.13 or later. The networks are written below in the usual way, as
torch.nn modules; parameters, buffers and inputs come from the formula `pattern`,
all of them float32 numbers, so that a reader can make the same ones. Everything is
computed in float64. Prints a list with an object per network:

  kind norm activation hidden input outputs
              the fields of bnn.Network
  count       of parameters
  parameters  "name shape" of each tensor, in the order of state_dict
  buffers     likewise
  logits      in evaluation mode, of the first two images
  loss        mean cross-entropy in training mode, of all BATCH images
  gradient    of that loss, per tensor: |g|, Σ g·a, Σ g·b, where a and b are
              pattern(i, 1) and pattern(i, 2)
  running     buffers after that pass, per tensor: Σ, Σ r·a
  float32     what the same modules show in float32, the memory in the usual
              order: largest error of a logit over the largest logit; error of
              the loss over the loss; largest |error of g| / |g| of a tensor
              (tensors below 1e-3 of the whole gradient are left out), and of
              the whole gradient
"""

import json

import torch
from torch import nn

BATCH = 6


def pattern(n, stream):
    """Numbers in [-1, 1], about uniform: the i-th is
    2·((7i² + 13i + 101·stream + 5) mod 10007)/10006 − 1."""
    i = torch.arange(n, dtype=torch.int64)
    return 2 * ((7 * i * i + 13 * i + 101 * stream + 5) % 10007).double() / 10006 - 1


def single(x):
    return x.float().double()


class FRN(nn.Module):
    """Filter response normalisation (Singh and Krishnan 2020), without threshold."""

    def __init__(self, channels):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(channels))
        self.bias = nn.Parameter(torch.zeros(channels))

    def forward(self, x):
        power = x.pow(2).mean(dim=(2, 3), keepdim=True)
        x = x * torch.rsqrt(power + 1e-6)
        return self.weight.view(1, -1, 1, 1) * x + self.bias.view(1, -1, 1, 1)


def norm2d(norm, channels):
    return {"batch": nn.BatchNorm2d, "frn": FRN, "none": lambda c: nn.Identity()}[norm](channels)


def activation(name, norm):
    if norm == "frn":
        return nn.SiLU()
    return {"relu": nn.ReLU, "tanh": nn.Tanh, "swish": nn.SiLU}[name]()


class Basic(nn.Module):
    expansion = 1

    def __init__(self, cin, planes, stride, norm):
        super().__init__()
        self.conv1 = nn.Conv2d(cin, planes, 3, stride, 1, bias=False)
        self.bn1 = norm2d(norm, planes)
        self.conv2 = nn.Conv2d(planes, planes, 3, 1, 1, bias=False)
        self.bn2 = norm2d(norm, planes)
        self.act = activation("relu", norm)
        self.downsample = shortcut(cin, planes, stride, norm)

    def forward(self, x):
        out = self.act(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        return self.act(out + (x if self.downsample is None else self.downsample(x)))


class Bottleneck(nn.Module):
    expansion = 4

    def __init__(self, cin, planes, stride, norm):
        super().__init__()
        self.conv1 = nn.Conv2d(cin, planes, 1, bias=False)
        self.bn1 = norm2d(norm, planes)
        self.conv2 = nn.Conv2d(planes, planes, 3, stride, 1, bias=False)
        self.bn2 = norm2d(norm, planes)
        self.conv3 = nn.Conv2d(planes, 4 * planes, 1, bias=False)
        self.bn3 = norm2d(norm, 4 * planes)
        self.act = activation("relu", norm)
        self.downsample = shortcut(cin, 4 * planes, stride, norm)

    def forward(self, x):
        out = self.act(self.bn1(self.conv1(x)))
        out = self.act(self.bn2(self.conv2(out)))
        out = self.bn3(self.conv3(out))
        return self.act(out + (x if self.downsample is None else self.downsample(x)))


def shortcut(cin, cout, stride, norm):
    if stride == 1 and cin == cout:
        return None
    return nn.Sequential(nn.Conv2d(cin, cout, 1, stride, bias=False), norm2d(norm, cout))


class ResNet(nn.Module):
    def __init__(self, block, blocks, channels, outputs, norm):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, 16, 3, 1, 1, bias=False)
        self.bn1 = norm2d(norm, 16)
        self.act = activation("relu", norm)
        cin = 16
        for stage, planes in enumerate((16, 32, 64)):
            layers = []
            for i in range(blocks):
                layers.append(block(cin, planes, 2 if stage and not i else 1, norm))
                cin = planes * block.expansion
            setattr(self, f"layer{stage + 1}", nn.Sequential(*layers))
        self.fc = nn.Linear(cin, outputs)

    def forward(self, x):
        x = self.act(self.bn1(self.conv1(x)))
        x = self.layer3(self.layer2(self.layer1(x)))
        return self.fc(nn.functional.adaptive_avg_pool2d(x, 1).flatten(1))


class LeNet(nn.Module):
    def __init__(self, shape, outputs, norm, act):
        super().__init__()
        rows, columns = (((n - 4) // 2 - 4) // 2 for n in shape[1:])
        self.conv1 = nn.Conv2d(shape[0], 6, 5)
        self.bn1 = norm2d(norm, 6)
        self.conv2 = nn.Conv2d(6, 16, 5)
        self.bn2 = norm2d(norm, 16)
        self.fc1 = nn.Linear(16 * rows * columns, 120)
        self.fc2 = nn.Linear(120, 84)
        self.fc3 = nn.Linear(84, outputs)
        self.act = activation(act, norm)

    def forward(self, x):
        x = nn.functional.max_pool2d(self.act(self.bn1(self.conv1(x))), 2)
        x = nn.functional.max_pool2d(self.act(self.bn2(self.conv2(x))), 2)
        return self.fc3(self.act(self.fc2(self.act(self.fc1(x.flatten(1))))))


class MLP(nn.Module):
    def __init__(self, shape, hidden, outputs, norm, act):
        super().__init__()
        n, self.hidden = shape[0] * shape[1] * shape[2], len(hidden)
        for i, width in enumerate(hidden, 1):
            setattr(self, f"fc{i}", nn.Linear(n, width))
            if norm == "batch":
                setattr(self, f"bn{i}", nn.BatchNorm1d(width))
            n = width
        setattr(self, f"fc{len(hidden) + 1}", nn.Linear(n, outputs))
        self.act = activation(act, norm)

    def forward(self, x):
        x = x.flatten(1)
        for i in range(1, self.hidden + 1):
            x = getattr(self, f"fc{i}")(x)
            x = self.act(getattr(self, f"bn{i}", nn.Identity())(x))
        return getattr(self, f"fc{self.hidden + 1}")(x)


def network(c):
    if c["kind"] == "lenet":
        return LeNet(c["input"], c["outputs"], c["norm"], c["activation"])
    if c["kind"] == "mlp":
        return MLP(c["input"], c["hidden"], c["outputs"], c["norm"], c["activation"])
    if c["kind"] == "bottleneck56":
        return ResNet(Bottleneck, 9, c["input"][0], c["outputs"], c["norm"])
    blocks = (int(c["kind"][len("resnet"):]) - 2) // 6
    return ResNet(Basic, blocks, c["input"][0], c["outputs"], c["norm"])


def fill(net):
    """Weights sqrt(6/fan in)·p, scales 1 + p/4, biases and shifts p/10, running means
    p/10, running variances 1 + p/2, where p is pattern(i, 3) and i counts from the first
    parameter (buffer) of the net on."""
    parameters = list(net.named_parameters())
    buffers = [(n, b) for n, b in net.named_buffers() if n.endswith(("mean", "var"))]
    p = pattern(sum(w.numel() for _, w in parameters), 3)
    b = pattern(sum(x.numel() for _, x in buffers), 3)
    with torch.no_grad():
        at = 0
        for name, w in parameters:
            part = p[at : at + w.numel()].view(w.shape)
            at += w.numel()
            if w.dim() > 1:
                part = (6 * w.shape[0] / w.numel()) ** 0.5 * part
            elif name.endswith("weight"):
                part = 1 + part / 4
            else:
                part = part / 10
            w.copy_(single(part))
        at = 0
        for name, x in buffers:
            part = b[at : at + x.numel()]
            at += x.numel()
            x.copy_(single(part / 10 if name.endswith("mean") else 1 + part / 2))
    return parameters, buffers


def evaluate(case, dtype):
    net = network(case).to(dtype)
    parameters, buffers = fill(net)
    c, h, w = case["input"]
    x = single(pattern(BATCH * c * h * w, 4)).view(BATCH, c, h, w).to(dtype)
    labels = (7 * torch.arange(BATCH) + 3) % case["outputs"]
    net.eval()
    with torch.no_grad():
        logits = net(x)
    net.train()
    loss = nn.functional.cross_entropy(net(x), labels)
    loss.backward()
    return net, parameters, buffers, logits, loss


def described(named):
    return ["%s %s" % (n, "×".join(map(str, x.shape))) for n, x in named]


def number(x):
    return float("%.12g" % x)


def single_errors(case, parameters, logits, loss):
    _, single_parameters, _, l32, loss32 = evaluate(case, torch.float32)
    pairs = [(a.grad, b.grad.double()) for (_, a), (_, b) in zip(parameters, single_parameters)]
    whole = sum(a.pow(2).sum() for a, _ in pairs).sqrt()
    wrong = sum((a - b).pow(2).sum() for a, b in pairs).sqrt()
    each = [((a - b).norm() / a.norm()).item() for a, b in pairs if a.norm() > 1e-3 * whole]
    return {
        "logits": float("%.2g" % ((l32 - logits).abs().max() / logits.abs().max())),
        "loss": float("%.2g" % abs(loss32.item() / loss.item() - 1)),
        "tensor": float("%.2g" % max(each)),
        "gradient": float("%.2g" % (wrong / whole)),
    }


def measure(case):
    _, parameters, buffers, logits, loss = evaluate(case, torch.float64)
    gradients = []
    for _, w in parameters:
        g = w.grad.flatten()
        a, b = pattern(g.numel(), 1), pattern(g.numel(), 2)
        gradients.append([number(g.norm()), number(g @ a), number(g @ b)])
    running = []
    for _, r in buffers:
        running.append([number(r.sum()), number(r @ pattern(r.numel(), 1))])
    return dict(
        case,
        count=sum(w.numel() for _, w in parameters),
        parameters=described(parameters),
        buffers=described(buffers),
        logits=[number(x) for x in logits[:2].flatten()],
        loss=number(loss),
        gradient=gradients,
        running=running,
        float32=single_errors(case, parameters, logits, loss),
    )


def cases():
    colour, grey = [3, 32, 32], [1, 28, 28]

    def case(kind, norm, shape, outputs, act="", hidden=()):
        return {"kind": kind, "norm": norm, "activation": act, "hidden": list(hidden),
                "input": shape, "outputs": outputs}

    for norm in ("batch", "frn"):
        for kind in ("resnet20", "bottleneck56"):
            yield case(kind, norm, colour, 100)
        for kind in ("resnet32", "resnet44", "resnet56", "resnet110"):
            yield case(kind, norm, colour, 10)
        for shape in (grey, colour, [3, 13, 10]):
            yield case("resnet8", norm, shape, 10)
        yield case("resnet20", norm, grey, 10)
        yield case("bottleneck56", norm, grey, 10)
        yield case("lenet", norm, grey, 10, "relu")
        yield case("mlp", norm, grey, 10, "relu", [20, 11])
    yield case("lenet", "batch", colour, 10, "tanh")
    yield case("mlp", "batch", [3, 5, 4], 3, "swish", [9])
    for act in ("relu", "tanh", "swish"):
        yield case("lenet", "none", colour, 10, act)
        yield case("mlp", "none", [1, 4, 5], 3, act, [16, 8])
    yield case("mlp", "none", grey, 10, "relu")


if __name__ == "__main__":
    torch.set_num_threads(1)
    rows = (json.dumps(measure(c), ensure_ascii=False, separators=(",", ":")) for c in cases())
    print("[\n" + ",\n".join(rows) + "\n]")
