"""Models of data: fit, identify, compare; and theory."""

import csv
import warnings
from pathlib import Path

import arviz
import numpy as np
import pytest

import r2sgld

REPOSITORY = Path(__file__).resolve().parents[2]
PELTS = REPOSITORY / "data" / "lynx_hare.csv"
LINE = {
    "parameters": {"a": "normal(0, 10)", "b": "normal(0, 10)", "s": "half_normal(5)"},
    "likelihood": "y ~ normal(a + b*x, s)",
}
SHORT = {"until": {"ess": 100}, "iterations": 300, "method": "auto", "kernel": "hmc"}


@pytest.fixture(autouse=True)
def calm():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        yield


def line():
    rng = np.random.default_rng(3)
    x = np.linspace(0, 1, 30)
    return {"x": x, "y": 1 + 2 * x + 0.1 * rng.normal(size=30)}


@pytest.fixture(scope="module")
def fitted(tmp_path_factory):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return r2sgld.fit(line(), LINE, sampler=SHORT, out=tmp_path_factory.mktemp("fit") / "line")


def test_a_line_is_fitted(fitted):
    data = line()
    slope, intercept = np.polyfit(data["x"], data["y"], 1)
    assert abs(fitted.posterior.b.mean() - slope) < 0.05
    assert abs(fitted.posterior.a.mean() - intercept) < 0.03
    assert fitted.attrs["log_evidence"] is not None


def test_arviz_predicts(fitted):
    assert set(fitted.groups()) >= {"posterior", "posterior_predictive", "log_likelihood", "prior", "observed_data"}
    assert arviz.loo(fitted).elpd_loo > 10
    arviz.plot_ppc(fitted, num_pp_samples=10)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_are_fitted_as_maps_are(fitted, library):
    frame = pytest.importorskip(library).DataFrame(line())
    result = r2sgld.fit(frame, LINE, sampler=SHORT)
    assert np.array_equal(result.posterior.b, fitted.posterior.b)


def test_a_configuration_gets_other_data():
    Path("line.yaml").write_text(
        "data: nowhere.csv\n"
        "model:\n"
        "  parameters: {a: 'normal(0, 9)', s: half_normal(5)}\n"
        "  likelihood: y ~ normal(a, s)\n"
    )
    data = {"y": [*line()["y"], None, 99.0]}
    result = r2sgld.fit(data, "line.yaml", where="y < 50", missing="drop", sampler=SHORT, name="cut", out="cut")
    assert abs(result.posterior.a.mean() - 2) < 0.5
    assert result.posterior.attrs["model_name"] == "cut"
    assert sorted(path.name for path in Path("cut.model").iterdir()) == ["data.csv", "model.yaml"]


def test_remedies_are_those_of_python():
    data = line()
    data["y"][3] = np.nan
    for name in ("a", "as-long-as-names-of-runs-may-be", "one-that-folds-lines-at-another-place"):
        with pytest.raises(r2sgld.R2sgldError, match='missing="drop"') as caught:
            r2sgld.fit(data, LINE, name=name)
        assert "drop}" not in str(caught.value)


def test_a_missing_column_is_told():
    with pytest.raises(r2sgld.R2sgldError, match="x"):
        r2sgld.fit({"y": [1.0, 2.0, 3.0]}, LINE)
    assert not list(Path().rglob("*.csv"))


@pytest.fixture(scope="module")
def pelts(tmp_path_factory):
    equations = {"H": "H*(alpha - beta*L)", "L": "L*(-gamma + delta*H)"}
    bounds = ["0 < alpha < 2", "0 < beta < 1", "0 < gamma < 2", "0 < delta < 1"]
    folder = tmp_path_factory.mktemp("pelts")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [
            r2sgld.identify(
                PELTS,
                equations | other,
                time="year",
                states={"H": "hare", "L": "lynx"},
                likelihood="log-derivative",
                constraints=[*bounds, *more],
                sampler=SHORT,
                out=folder / name,
            )
            for name, other, more in [
                ("predation", {}, []),
                ("logistic", {"H": "H*(alpha*(1 - H/k) - beta*L)"}, ["10 < k < 1000"]),
            ]
        ]


def test_rates_of_the_pelts(pelts):
    means = {name: float(draws.mean()) for name, draws in pelts[0].posterior.items()}
    assert means == pytest.approx({"alpha": 0.44, "beta": 0.0219, "gamma": 0.68, "delta": 0.0206}, rel=0.1)


def test_models_are_compared(pelts):
    told = r2sgld.compare(*pelts)
    by_folder = r2sgld.compare(*(result.attrs["run"] for result in pelts))
    assert told == by_folder
    assert [model["probability"] > 0.5 for model in told["models"]] == [True, False]
    assert told["models"][0]["log_evidence"] == pelts[0].attrs["log_evidence"]


def test_columns_named_as_the_states():
    with PELTS.open() as file:
        rows = list(csv.DictReader(row for row in file if not row.startswith("#")))
    data = {"H": [float(row["hare"]) for row in rows], "L": [float(row["lynx"]) for row in rows]}
    result = r2sgld.identify(
        data,
        library=["H", "L", "H*L"],
        states=["H", "L"],
        likelihood="log-derivative",
        model={"derivative": "central", "fixed": {"H.L": 0, "L.H": 0}},
        sampler=SHORT,
    )
    assert result.posterior["H.H"].mean() == pytest.approx(0.44, abs=0.1)


def test_a_library_needs_states():
    with pytest.raises(TypeError, match="states"):
        r2sgld.identify({"x": [1, 2, 3]}, library=["x"])


def test_runs_of_other_data_are_not_compared(fitted, pelts):
    with pytest.raises(r2sgld.R2sgldError):
        r2sgld.compare(fitted, pelts[0])


def test_theory_knows_the_gap_of_an_interval():
    told = r2sgld.theory("0", {"box": {"x": [0, 2]}})
    assert told["gap"] == pytest.approx((np.pi / 2) ** 2, rel=1e-4)
    assert told["poincare_constant"] == pytest.approx(1 / told["gap"])
    assert not list(Path().iterdir())


def test_theory_of_replicas_that_swap():
    told = r2sgld.theory(
        "8*(x^2 - 1)^2", {}, names=["x"], constraints="-2 < x < 2", temperature=[1, 10], intensity=5, grid=80, out="run"
    )
    assert told["acceleration"] > 1
    assert Path("run/summary.json").exists()
    with pytest.raises(r2sgld.R2sgldError):
        r2sgld.theory("0", {"box": {"x": [0, 2]}}, out="run")
    assert r2sgld.theory("0", {"box": {"x": [0, 2]}}, out="run", force=True)["gap"] > 0


def test_theory_needs_bounds():
    with pytest.raises(r2sgld.R2sgldError, match="walls"):
        r2sgld.theory("x^2", {}, names=["x"])
