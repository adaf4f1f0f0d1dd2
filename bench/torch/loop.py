"""The usual PyTorch training loop, timed: loop.py THREADS DEVICE

A line "RULE REPLICAS BATCH STEPS" on standard input makes STEPS steps of each of the
first REPLICAS networks, one network after the other; "ELAPSED CPU" in seconds comes
back. RULE is sgd (torch.optim.SGD with momentum and weight decay) or sghmc (momentum,
weight decay within the gradient, noise drawn tensor by tensor, weights mirrored at ±4,
as in the code released with the paper, whose loss is the mean times the number of
examples). Networks are plain eager modules in float32, memory in the usual order;
images lie in memory as normalised numbers and are not augmented.
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
    def __init__(self, device):
        self.net = ResNet20().to(device)
        self.rules = {
            "sgd": torch.optim.SGD(self.net.parameters(), RATE, MOMENTUM, weight_decay=DECAY),
            "sghmc": SGHMC(self.net.parameters()),
        }

    def step(self, rule, x, y):
        self.net.zero_grad(set_to_none=True)
        loss = nn.functional.cross_entropy(self.net(x), y)
        (loss * EXAMPLES if rule == "sghmc" else loss).backward()
        self.rules[rule].step()
        return loss.item()


def main(threads, device):
    torch.set_num_threads(int(threads))
    torch.manual_seed(1)
    images = torch.randn(EXAMPLES, 3, 32, 32, device=device)
    labels = torch.randint(CLASSES, (EXAMPLES,), device=device)
    replicas = []
    print(torch.__version__, flush=True)
    for line in sys.stdin:
        rule, count, batch, steps = line.split()
        while len(replicas) < int(count):
            replicas.append(Replica(device))
        elapsed, cpu = time.perf_counter(), time.process_time()
        for replica in replicas[: int(count)]:
            order = torch.randperm(EXAMPLES, device=device)
            for i in range(int(steps)):
                chosen = order.roll(-i * int(batch))[: int(batch)]
                replica.step(rule, images[chosen], labels[chosen])
        print(time.perf_counter() - elapsed, time.process_time() - cpu, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
