"""The usual PyTorch training loop, timed: loop.py THREADS DEVICE PRECISION

A line "RULE REPLICAS BATCH STEPS" on standard input makes STEPS steps of each of the
first REPLICAS networks, one network after the other; "ELAPSED CPU" in seconds comes
back. RULE is sgd (torch.optim.SGD with momentum and weight decay) or sghmc (momentum,
weight decay within the gradient, noise drawn tensor by tensor, weights mirrored at ±4,
as in the code released with the paper, whose loss is the mean times the number of
examples). Networks are eager modules, memory in the usual order in float32 and channels
last in tf32 and bfloat16 (autocast); images lie in memory as normalised numbers and are
not augmented. "sghmc compiled" is torch.compile's network (reduce-overhead, that is with
CUDA's graphs) and update.
"""

import math
import sys
import time

import torch
from torch import nn

EXAMPLES, CLASSES = 4096, 100
RATE, MOMENTUM, DECAY = 1e-4, 0.9, 5e-4
TEMPERATURE, VARIANCE, BOUND = 0.05, 0.1, 4.0


class Block(nn.Module):
    def __init__(self, cin, cout, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(cin, cout, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(cout)
        self.conv2 = nn.Conv2d(cout, cout, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(cout)
        self.downsample = nn.Sequential()
        if stride != 1 or cin != cout:
            self.downsample = nn.Sequential(
                nn.Conv2d(cin, cout, 1, stride, bias=False), nn.BatchNorm2d(cout)
            )

    def forward(self, x):
        y = torch.relu(self.bn1(self.conv1(x)))
        return torch.relu(self.bn2(self.conv2(y)) + self.downsample(x))


class ResNet20(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 16, 3, 1, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(16)
        shapes = [(16, 16, 1), (16, 32, 2), (32, 64, 2)]
        self.layers = nn.Sequential(
            *(
                nn.Sequential(Block(cin, cout, stride), Block(cout, cout, 1), Block(cout, cout, 1))
                for cin, cout, stride in shapes
            )
        )
        self.fc = nn.Linear(64, CLASSES)

    def forward(self, x):
        x = self.layers(torch.relu(self.bn1(self.conv1(x))))
        return self.fc(nn.functional.adaptive_avg_pool2d(x, 1).flatten(1))


class SGHMC:
    def __init__(self, parameters):
        self.parameters = list(parameters)
        self.velocity = [torch.zeros_like(p) for p in self.parameters]
        self.rate = RATE / EXAMPLES
        spread = 2 * self.rate * (1 - MOMENTUM - 0.5 * VARIANCE * self.rate)
        self.scale = math.sqrt(spread * TEMPERATURE)

    @torch.no_grad()
    def step(self):
        for p, v in zip(self.parameters, self.velocity):
            noise = torch.empty_like(p).normal_().mul(self.scale)
            gradient = p.grad.add_(p, alpha=DECAY * EXAMPLES)
            v.mul_(MOMENTUM).add_(gradient, alpha=-self.rate).add_(noise)
            p.add_(v)
            p.copy_(torch.where(p.abs() <= BOUND, p, 2 * BOUND * p.sign() - p))


class Replica:
    def __init__(self, device, precision, order):
        self.net = ResNet20().to(device, memory_format=order)
        self.autocast = torch.autocast(torch.device(device).type, torch.bfloat16, precision == "bfloat16")
        sgd = torch.optim.SGD(self.net.parameters(), RATE, MOMENTUM, weight_decay=DECAY)
        self.ways = {"sgd": (self.net, sgd.step), "sghmc": (self.net, SGHMC(self.net.parameters()).step)}

    def way(self, rule):
        """The network and the update of a rule."""
        if rule not in self.ways:
            net, update = self.ways[rule.removesuffix(" compiled")]
            self.ways[rule] = torch.compile(net, mode="reduce-overhead"), torch.compile(update)
        return self.ways[rule]

    def step(self, rule, x, y):
        net, update = self.way(rule)
        self.net.zero_grad(set_to_none=True)
        with self.autocast:
            loss = nn.functional.cross_entropy(net(x).float(), y)
        (loss if rule == "sgd" else loss * EXAMPLES).backward()
        update()
        return loss.item()


def main(threads, device, precision):
    torch.set_num_threads(int(threads))
    torch.manual_seed(1)
    torch.backends.cuda.matmul.allow_tf32 = precision == "tf32"
    torch.backends.cudnn.allow_tf32 = precision == "tf32"
    order = torch.contiguous_format if precision == "float32" else torch.channels_last
    images = torch.randn(EXAMPLES, 3, 32, 32, device=device).contiguous(memory_format=order)
    labels = torch.randint(CLASSES, (EXAMPLES,), device=device)
    replicas = []
    print(torch.__version__, flush=True)
    for line in sys.stdin:
        rule, count, batch, steps = line.rsplit(maxsplit=3)
        while len(replicas) < int(count):
            replicas.append(Replica(device, precision, order))
        elapsed, cpu = time.perf_counter(), time.process_time()
        for replica in replicas[: int(count)]:
            order = torch.randperm(EXAMPLES, device=device)
            for i in range(int(steps)):
                chosen = order.roll(-i * int(batch))[: int(batch)]
                replica.step(rule, images[chosen], labels[chosen])
        print(time.perf_counter() - elapsed, time.process_time() - cpu, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
