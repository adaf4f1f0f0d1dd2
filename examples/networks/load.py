"""Loads a draw of a ResNet20 into plain PyTorch and prints its test accuracy.

usage: load.py DRAW.safetensors FOLDER     (FOLDER: t10k-images-idx3-ubyte[.gz] and labels)

Needs torch and numpy. The accuracy is the one that r2sgld reports of this draw.
"""

import gzip
import json
import sys
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F


class Block(nn.Module):
    def __init__(self, before, channels, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(before, channels, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(channels)
        self.conv2 = nn.Conv2d(channels, channels, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(channels)
        self.downsample = nn.Identity()
        if stride != 1 or before != channels:
            self.downsample = nn.Sequential(
                nn.Conv2d(before, channels, 1, stride, bias=False), nn.BatchNorm2d(channels)
            )

    def forward(self, x):
        y = self.bn2(self.conv2(F.relu(self.bn1(self.conv1(x)))))
        return F.relu(y + self.downsample(x))


class ResNet20(nn.Module):
    def __init__(self, colours, classes):
        super().__init__()
        self.conv1 = nn.Conv2d(colours, 16, 3, 1, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(16)
        self.layer1 = nn.Sequential(*(Block(16, 16, 1) for _ in range(3)))
        self.layer2 = nn.Sequential(Block(16, 32, 2), Block(32, 32, 1), Block(32, 32, 1))
        self.layer3 = nn.Sequential(Block(32, 64, 2), Block(64, 64, 1), Block(64, 64, 1))
        self.fc = nn.Linear(64, classes)

    def forward(self, x):
        x = self.layer3(self.layer2(self.layer1(F.relu(self.bn1(self.conv1(x))))))
        return self.fc(x.mean((2, 3)))


def read_safetensors(path):
    """Tensors by name and metadata; the package safetensors does the same."""
    raw = Path(path).read_bytes()
    size = int.from_bytes(raw[:8], "little")
    header = json.loads(raw[8 : 8 + size])
    metadata, tensors = header.pop("__metadata__", {}), {}
    for name, t in header.items():
        start, end = (8 + size + o for o in t["data_offsets"])
        values = np.frombuffer(raw[start:end], {"F32": "<f4", "F64": "<f8"}[t["dtype"]])
        tensors[name] = torch.tensor(values).reshape(t["shape"])
    return tensors, metadata


def read_idx(folder, name):
    path = Path(folder, name)
    raw = path.read_bytes() if path.exists() else gzip.open(f"{path}.gz").read()
    shape = [int.from_bytes(raw[4 + 4 * i : 8 + 4 * i], "big") for i in range(raw[3])]
    return torch.tensor(np.frombuffer(raw, np.uint8, offset=4 + 4 * raw[3])).reshape(shape)


def main(draw, folder):
    tensors, metadata = read_safetensors(draw)
    if (metadata["network"], metadata["norm"] or "batch") != ("resnet20", "batch"):
        sys.exit(f"{draw} is a {metadata['network']}: this example loads resnet20 with batch norm")
    model = ResNet20(json.loads(metadata["input"])[0], int(metadata["outputs"]))
    missing, unexpected = model.load_state_dict(tensors, strict=False)
    if unexpected or any(not m.endswith("num_batches_tracked") for m in missing):
        sys.exit(f"{draw} is of another network: missing {missing}, unexpected {unexpected}")
    model.eval()
    mean, sd = (torch.tensor(json.loads(metadata[k])).view(1, -1, 1, 1) for k in ("mean", "sd"))
    labels = read_idx(folder, "t10k-labels-idx1-ubyte").long()
    images = (read_idx(folder, "t10k-images-idx3-ubyte")[:, None] / 255 - mean) / sd
    with torch.no_grad():
        logits = torch.cat([model(x) for x in images.float().split(500)])
    print(f"accuracy {(logits.argmax(1) == labels).double().mean():.4f}")
    print(f"NLL {F.cross_entropy(logits.double(), labels):.6f}")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
