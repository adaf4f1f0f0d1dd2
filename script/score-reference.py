"""Scores of frozen predictions by other people's code.

usage: score-reference.py > internal/bnn/score/testdata/reference.json

Needs NumPy, SciPy, scikit-learn and torch-uncertainty (with torch and torchmetrics).
Prints where it comes from, logits and labels, and what these make of them:

  accuracy, nll, auroc    sklearn.metrics
  brier, aurc, fpr95, entropy (mean, in nats)   torch_uncertainty.metrics.classification
  ece                     torchmetrics, 15 bins, norm l1 (what torch-uncertainty calls)
  temperature, nll_scaled scipy.optimize on sklearn.metrics.log_loss, fitted on the
                          examples 0, 2, 4 ..., scored on 1, 3, 5 ...
  agreement, total_variation   of `logits` and `second`, by their definitions

Outside examples are told from inside ones by the entropy; some are copies of inside
ones, so that there are ties.
"""

import importlib
import importlib.metadata
import json
import sys
import types
from pathlib import Path

import numpy as np
import sklearn.metrics
import torch
from scipy.optimize import minimize_scalar
from scipy.special import softmax
from torchmetrics.functional.classification import multiclass_calibration_error

N, OUTSIDE, CLASSES = 160, 80, 10


def uncertainty(module, name):
    """A metric of torch-uncertainty, without the rest of it, which needs much more."""
    distribution = importlib.metadata.distribution("torch-uncertainty")
    root = Path(str(distribution.locate_file("torch_uncertainty")))
    package = "torch_uncertainty.metrics.classification"
    for p in ("torch_uncertainty", "torch_uncertainty.metrics", package):
        if p not in sys.modules:
            sys.modules[p] = types.ModuleType(p)
            sys.modules[p].__path__ = [str(root.joinpath(*p.split(".")[1:]))]
    return getattr(importlib.import_module(f"{package}.{module}"), name)


def draw(rng, n, labels, strength):
    z = rng.normal(0, 1.5, (n, CLASSES))
    if labels is not None:
        z[np.arange(n), labels] += strength
    return np.round(z, 3)


def measured(metric, *arguments):
    metric.update(*arguments)
    return float(metric.compute())


def scaled(logits, labels):
    def nll(log_t, part):
        p = softmax(logits[part::2] * np.exp(-log_t), axis=1)
        return sklearn.metrics.log_loss(labels[part::2], p, labels=range(CLASSES))

    fit = minimize_scalar(
        nll, bounds=(-3, 3), args=(0,), method="bounded", options={"xatol": 1e-12}
    )
    return float(np.exp(fit.x)), float(nll(fit.x, 1))


def main():
    rng = np.random.default_rng(7)
    labels = rng.integers(0, CLASSES, N)
    logits = draw(rng, N, labels, 2.5)
    second = np.round(logits + rng.normal(0, 0.7, logits.shape), 3)
    outside = draw(rng, OUTSIDE, None, 0)
    outside[:20] = logits[:20]
    p, q, o = (softmax(z, axis=1) for z in (logits, second, outside))
    tp, tl = torch.tensor(p), torch.tensor(labels)
    entropy = uncertainty("entropy", "Entropy")
    e_in, e_out = -(p * np.log(p)).sum(1), -(o * np.log(o)).sum(1)
    e_out[:20] = e_in[:20]
    told = np.concatenate([e_in, e_out])
    is_out = np.concatenate([np.zeros(N, int), np.ones(OUTSIDE, int)])
    temperature, nll_scaled = scaled(logits, labels)
    brier = uncertainty("brier_score", "BrierScore")(num_classes=CLASSES)
    fpr95 = uncertainty("fpr", "FPR95")(pos_label=1)

    def nll(p):
        return sklearn.metrics.log_loss(labels, p, labels=range(CLASSES))

    names = ("scikit-learn", "torchmetrics", "torch", "numpy", "scipy", "torch-uncertainty")
    json.dump(
        {
            "provenance": {
                "script": "script/score-reference.py",
                "versions": {n: importlib.metadata.version(n) for n in names},
                "data": "random logits, numpy.random.default_rng(7)",
            },
            "classes": CLASSES,
            "labels": labels.tolist(),
            "logits": logits.ravel().tolist(),
            "second": second.ravel().tolist(),
            "outside": outside.ravel().tolist(),
            "accuracy": sklearn.metrics.accuracy_score(labels, p.argmax(1)),
            "nll": nll(p),
            "brier": measured(brier, tp, tl),
            "ece": float(multiclass_calibration_error(tp, tl, CLASSES, n_bins=15, norm="l1")),
            "aurc": measured(uncertainty("risk_coverage", "AURC")(), tp, tl),
            "entropy": measured(entropy(), tp),
            "temperature": temperature,
            "nll_scaled": nll_scaled,
            "auroc": sklearn.metrics.roc_auc_score(is_out, told),
            "fpr95": measured(fpr95, torch.tensor(told), torch.tensor(is_out)),
            "agreement": float((p.argmax(1) == q.argmax(1)).mean()),
            "total_variation": float(np.abs(p - q).sum(1).mean() / 2),
            "average_nll": nll((p + q) / 2),
            "average_logits_nll": nll(softmax((logits + second) / 2, axis=1)),
        },
        sys.stdout,
    )
    print()


if __name__ == "__main__":
    main()
