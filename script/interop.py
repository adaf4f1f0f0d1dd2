"""Do ArviZ, xarray and CmdStanPy open a run folder and find what we found?

usage: interop.py RUN

Prints a line per check and exits 1 if one fails. Tolerance 1e-6 relative for
statistics (means: relative to the sd), exact for draws. Compared are ArviZ's
rank R-hat (split, folded), ess bulk and tail, mcse of the mean: the same
definitions as in R's posterior, with one exception: ArviZ folds around the
median of the split chains, posterior (and we) around that of all draws, which
differ by the middle draw of each chain if their number is odd. R-hat is then
compared with posterior alone. Not compared are intervals: ArviZ reports HDIs,
we report quantiles (numpy's linear ones, type 7, are compared).
"""

import glob
import json
import logging
import os
import sys
import warnings

import arviz as az
import cmdstanpy
import numpy as np
import xarray as xr

TOLERANCE = 1e-6
failures = 0


def check(what, ok, detail=""):
    global failures
    failures += not ok
    print(f"{'ok  ' if ok else 'FAIL'} python  {what}{'  ' + detail if detail else ''}")


def attempt(what, f):
    try:
        result = f()
    except Exception as e:  # whatever a library raises is a failed check
        check(what, False, f"{type(e).__name__}: {e}")
        return None
    check(what, True)
    return result


def statistics(x):
    """x is chains by draws."""
    q = np.quantile(x, [0.05, 0.25, 0.5, 0.75, 0.95])
    return {
        "mean": x.mean(),
        "sd": x.std(ddof=1),
        **dict(zip(["q5", "q25", "q50", "q75", "q95"], q)),
        "mcse_mean": float(az.mcse(x, method="mean")),
        "ess_bulk": float(az.ess(x, method="bulk")),
        "ess_tail": float(az.ess(x, method="tail")),
        "rhat": float(az.rhat(x, method="rank")),
    }


def compare(parameter, x):
    name, theirs = parameter["name"], statistics(x)
    for key, value in theirs.items():
        ours = parameter.get(key)
        if key == "rhat" and x.shape[1] % 2:
            print(f"--   python  {name} rhat  not compared: {x.shape[1]} draws per chain are odd, see interop.py")
            continue
        if ours is None:  # not known to us: then they should not know it either
            check(f"{name} {key}", not np.isfinite(value), f"ours null, ArviZ {value:.12g}")
            continue
        scale = abs(value)
        if key == "mean" or key.startswith("q"):
            scale = max(scale, theirs["sd"])
        error = abs(ours - value) / scale if scale > 0 else abs(ours - value)
        check(f"{name} {key}", error <= TOLERANCE, f"ours {ours:.12g}, ArviZ {value:.12g}, relative difference {error:.1e}")


def original(array, safe):
    """The parameter's own name: in long_name where a folder could not bear it."""
    return array.attrs.get("long_name", safe)


def predicted(run, idata):
    """ArviZ makes of the groups of a fit what we make of all draws."""
    with open(os.path.join(run, "predictive.json"), encoding="utf-8") as f:
        ours = json.load(f)
    loo = attempt("arviz.loo", lambda: az.loo(idata))
    if loo is not None:
        # of fewer draws: for small p_loo the variance of elpd is about p_loo over their number
        error = 6 * (max(ours["p_loo"], 1) / loo.n_samples) ** 0.5
        check("arviz.loo is that of predictive.json", abs(loo.elpd_loo - ours["elpd_loo"]) < error, f"{loo.elpd_loo:.4f}, {ours['elpd_loo']:.4f} ± {error:.4f}")
    import matplotlib

    matplotlib.use("Agg")
    attempt("arviz.plot_ppc", lambda: az.plot_ppc(idata, num_pp_samples=20))
    if "prior_predictive" in idata.groups():
        attempt("arviz.plot_ppc, prior", lambda: az.plot_ppc(idata, group="prior", num_pp_samples=20))


def main(run):
    print(f"{run}: arviz {az.__version__}, xarray {xr.__version__}, cmdstanpy {cmdstanpy.__version__}")
    with open(os.path.join(run, "summary.json"), encoding="utf-8") as f:
        summary = json.load(f)
    store = os.path.join(run, "draws.zarr")
    idata = attempt("arviz.from_zarr", lambda: az.from_zarr(store))
    if idata is None:
        return
    check("group posterior", "posterior" in idata.groups(), ", ".join(idata.groups()))
    attempt("arviz.summary", lambda: az.summary(idata))
    for group in idata.groups():
        attempt(f"xarray.open_zarr, group {group}", lambda: xr.open_zarr(store, group=group).load())
    posterior = idata.posterior
    order = posterior.attrs["parameters"]
    draws = {original(posterior[p], p): posterior[p].transpose("chain", "draw").values for p in order}
    names = [p["name"] for p in summary["parameters"]]
    check("parameters are those of summary.json", list(draws) == names, ", ".join(draws))

    if "log_likelihood" in idata.groups():
        predicted(run, idata)
    files = sorted(glob.glob(os.path.join(run, "draws-*.csv")), key=lambda f: int(f.rsplit("-", 1)[1][:-4]))
    fit = attempt("cmdstanpy.from_csv", lambda: cmdstanpy.from_csv(files))
    if fit is not None:
        columns = [c for c in fit.column_names if not c.endswith("__")]
        values = fit.draws()[:, :, [fit.column_names.index(c) for c in columns]]
        exact = len(columns) == len(draws) and all(
            np.array_equal(values[:, :, j].T, x, equal_nan=True) for j, x in enumerate(draws.values())
        )
        check("cmdstanpy reads the draws of draws.zarr, bit by bit", exact)
    stan = attempt("arviz.from_cmdstan", lambda: az.from_cmdstan(files))
    if stan is not None:
        same = stan.posterior.sizes["chain"] == len(files) and np.array_equal(
            stan.sample_stats["lp"].values, idata.sample_stats["lp"].values
        )
        check("arviz.from_cmdstan reads lp of draws.zarr, bit by bit", same)
    for parameter in summary["parameters"]:
        if parameter["name"] in draws:
            compare(parameter, draws[parameter["name"]])


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    warnings.simplefilter("ignore")
    logging.getLogger("cmdstanpy").disabled = True
    main(sys.argv[1])
    print(f"python: {failures} checks failed" if failures else "python: all checks passed")
    sys.exit(1 if failures else 0)
