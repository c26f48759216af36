"""Fleets: the same bits on every engine, and tables that other programs read."""

from __future__ import annotations

import concurrent.futures
import importlib.util
import json
import os
import pathlib
import pickle
import shutil
import signal
import threading
from collections.abc import Callable

import numpy as np
import pytest
import stickslip as ss
from stickslip import _parquet

DATA = 'time = "time"\ndrive = "temperature"\nresponse_unit = "mm"\n'
TAIL = '[model]\nkind = "thermal-bearing"\nbearing_stiffness = 2.0e9\n[fit]\ndiagnose = false\n[fleet]\nchanges = false\n'


def weather(rows: int) -> np.ndarray:
    t = np.arange(rows)
    return 12 + 6 * np.sin(2 * np.pi * t / 24) + 4 * np.sin(2 * np.pi * t / 111) + 3 * np.sin(2 * np.pi * t / 270)


def bearing(number: int, temperature: np.ndarray) -> np.ndarray:
    """Displacements in mm of a slider with friction (Bensoussan et al. 2021, section 2.3.4)."""
    stiffness, breakaway = 1.89e8, 4.7e5 * (1 + 0.05 * number)
    sliding, beta, x = 0.9 * breakaway, 3e-4, 3e-4 * temperature[0]
    noise = np.random.default_rng(number).normal(0, 3e-5, len(temperature))
    z = np.empty(len(temperature))
    for i, d in enumerate(beta * temperature):
        while abs(d - x) > breakaway / stiffness:
            x += 2 * (breakaway - sliding) / stiffness * np.sign(d - x)
        z[i] = 9.67e-3 + x + stiffness / 2e9 * (d - x) + noise[i]
    return 1e3 * z


def stamps(rows: int) -> list[str]:
    start = np.datetime64("2024-01-01T00:00:00")
    return [f"{start + np.timedelta64(i, 'h')}Z" for i in range(rows)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """Five bearings in files of their own, one of them broken, and three in one long and one wide table."""
    folder = tmp_path_factory.mktemp("fleet")
    (folder / "data").mkdir()
    rows, times = 900, stamps(900)
    air = weather(rows)
    z = [bearing(k, air) for k in range(4)]
    for k in range(4):
        lines = [f"{t},{a:.2f},{d:.3f}" for t, a, d in zip(times, air, z[k])]
        (folder / "data" / f"b{k}.csv").write_text("\n".join(["time,temperature,z", *lines]) + "\n")
    (folder / "data" / "broken.csv").write_text("no table\n")
    long = [f"{t},b{k},{air[i]:.2f},{z[k][i]:.3f}" for i, t in enumerate(times) for k in range(3)]
    (folder / "long.csv").write_text("\n".join(["time,sensor,temperature,z", *long]) + "\n")
    wide = [",".join([t, f"{air[i]:.2f}", *(f"{z[k][i]:.3f}" for k in range(3))]) for i, t in enumerate(times)]
    (folder / "wide.csv").write_text("\n".join(["time,temperature,b0,b1,b2", *wide]) + "\n")
    (folder / "fleet.toml").write_text(f'[data]\nfile = "data/*.csv"\nresponse = "z"\n{DATA}{TAIL}')
    (folder / "long.toml").write_text(f'[data]\nfile = "long.csv"\nbearing = "sensor"\nresponse = "z"\n{DATA}{TAIL}')
    (folder / "wide.toml").write_text(f'[data]\nfile = "wide.csv"\nresponses = ["b0", "b1", "b2"]\n{DATA}{TAIL}')
    return folder


@pytest.fixture(scope="module")
def whole(folder: pathlib.Path) -> ss.Fleet:
    return ss.fleet(folder / "fleet.toml", folder / "whole")


def test_a_fleet_has_a_row_for_each_bearing(folder: pathlib.Path, whole: ss.Fleet) -> None:
    assert list(whole.bearing) == ["b0", "b1", "b2", "b3", "broken"]
    assert whole.status[4] == "unusable" and whole.counts["unusable"] == 1
    truth = 4.7e5 / 1.89e8 * (1 + 0.05 * np.arange(4))
    assert np.all(np.abs(whole.f_s_over_K[:4] / truth - 1) < 0.05)
    out = folder / "whole"
    assert (out / "fleet.csv").read_text() == whole._csv("fleet")
    page = (out / "index.html").read_text()
    assert "Benjamini and Yekutieli" in page and 'src="http' not in page
    told: list[tuple[int, int]] = []
    again = ss.fleet(folder / "fleet.toml", out, resume=True, progress=lambda *a: told.append(a))
    assert again.summary["reused"] == 4 and told[-1] == (5, 5)
    assert again._csv("fleet") == whole._csv("fleet")


def test_the_form_of_the_tables_does_not_matter(folder: pathlib.Path, whole: ss.Fleet) -> None:
    for form in ("long", "wide"):
        found = ss.fleet(folder / f"{form}.toml")
        assert list(found.bearing) == ["b0", "b1", "b2"]
        for column in ("f_s", "f_s_low", "f_d_over_K", "beta_high", "rmse"):
            assert np.array_equal(found[column], whole[column][:3]), (form, column)


def in_memory() -> tuple[np.ndarray, np.ndarray, list[np.ndarray]]:
    """The times, temperatures and displacements of the tables, as they read."""
    air = weather(900)
    times = np.datetime64("2024-01-01", "ms") + np.arange(900) * np.timedelta64(1, "h")
    return times, np.array([float(f"{a:.2f}") for a in air]), [np.array([float(f"{d:.3f}") for d in bearing(k, air)]) for k in range(4)]


OPTIONS = {"response_unit": "mm", "bearing_stiffness": 2e9, "diagnose": False, "changes": False}


def test_records_in_memory_are_those_of_the_files(folder: pathlib.Path, whole: ss.Fleet) -> None:
    times, air, z = in_memory()
    records = {f"b{k}": (times, air, z[k]) for k in range(4)}
    named = {"time": np.tile(times, 3), "air": np.tile(air, 3), "z": np.concatenate(z[:3]), "sensor": np.repeat(["b0", "b1", "b2"], 900)}
    mixed = np.random.default_rng(1).permutation(2700)
    mixed = mixed[np.argsort(named["time"][mixed], kind="stable")]
    shuffled = {key: values[mixed] for key, values in named.items()}
    wide = {"time": times, "air": air, "b0": z[0], "b1": z[1], "b2": z[2]}
    names = {"drive": "air", "response": "z", "bearing": "sensor"}
    for found in (
        ss.fleet(records, **OPTIONS),
        ss.fleet(named, **names, **OPTIONS),
        ss.fleet(shuffled, **names, **OPTIONS),
        ss.fleet(wide, drive="air", response=["b0", "b1", "b2"], **OPTIONS),
    ):
        order = np.argsort(found.bearing)
        assert found.bearing[order].tolist() == ["b0", "b1", "b2", "b3"][: len(order)]
        for column in ("f_s", "f_s_low", "f_d_over_K", "beta_high", "rmse"):
            assert np.array_equal(found[column][order], whole[column][: len(order)]), column


def test_frames_tables_and_names_of_any_kind(tmp_path: pathlib.Path) -> None:
    times, air, z = in_memory()
    names = ["pier 1/north", "a,b.c", 'the "old" one*']
    long = {"time": np.tile(times, 3), "T": np.tile(air, 3), "z": np.concatenate(z[:3]), "which": np.repeat(names, 900)}
    given = {"drive": "T", "response": "z", "bearing": "which", "diagnose": False, "changes": False, "response_unit": "mm"}
    stiff = {name: 2e9 for name in names}
    found = ss.fleet(long, tmp_path / "out", bearing_stiffness=stiff, reports="all", **given)
    assert found.bearing.tolist() == names and np.isfinite(found.f_s).all()
    assert (tmp_path / "out" / "index.html").exists()
    for library in ("pandas", "polars", "pyarrow"):
        module = pytest.importorskip(library)
        frame = module.table(long) if library == "pyarrow" else module.DataFrame(long)
        assert np.array_equal(ss.fleet(frame, bearing_stiffness=stiff, **given).f_s, found.f_s), library
    # Without a stiffness no force is known; numbers in place of dates give the same ratios.
    seconds = {**long, "time": np.tile(3600.0 * np.arange(900), 3)}
    plain = ss.fleet(seconds, **given)
    assert np.isnan(plain.f_s).all() and np.array_equal(plain.f_s_over_K, found.f_s_over_K)


def test_dates_of_records_in_memory_are_dates_in_the_result() -> None:
    times, air, z = in_memory()
    records = {"b0": (times, air, z[0])}
    found = ss.fleet(records, **OPTIONS)
    assert "2024-01-01" in str(found["from"][0])


def test_what_records_in_memory_lack_is_said(folder: pathlib.Path) -> None:
    times, air, z = in_memory()
    long = {"time": times, "temperature": air, "displacement": 1e-3 * z[0], "sensor": np.repeat("b0", 900)}
    with pytest.raises(ss.InputError, match="no column 'sensr'"):
        ss.fleet(long, bearing="sensr")
    with pytest.raises(ss.InputError, match="names no bearing"):
        ss.fleet({**long, "sensor": np.array(["b0"] * 899 + [""], dtype=object)}, bearing="sensor")
    with pytest.raises(ss.KeywordError, match="trend"):
        ss.fleet(long, bearing="sensor", trnd="drift")
    with pytest.raises(ss.InputError, match="of the bearing 'b1' holds 3 numbers"):
        ss.fleet({"b1": (times, air, [1.0, 2.0, 3.0])})
    with pytest.raises(ss.InputError, match="expected the file alone"):
        ss.fleet(folder / "fleet.toml", bearing="sensor")
    with pytest.raises(ss.InputError, match="holds no bearing"):
        ss.fleet({})
    with pytest.raises(ss.InputError, match="expected the path of a fleet file"):
        ss.fleet(3)


def test_a_pool_gives_the_same_bits(folder: pathlib.Path, whole: ss.Fleet) -> None:
    with concurrent.futures.ProcessPoolExecutor(2) as pool:
        pooled = ss.fleet(folder / "fleet.toml", folder / "pool", executor=pool)
    assert pooled._csv("fleet") == whole._csv("fleet")
    assert (folder / "pool" / "index.html").read_text() == (folder / "whole" / "index.html").read_text()


def test_a_killed_worker_of_dask_loses_nothing(folder: pathlib.Path, whole: ss.Fleet) -> None:
    distributed = pytest.importorskip("distributed", reason="dask.distributed is not installed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as cluster, distributed.Client(cluster) as client:
        pids = list(client.run(os.getpid).values())
        # One of them is killed while the parts are under way.
        killer = threading.Timer(0.3, lambda: os.kill(pids[0], signal.SIGKILL))
        killer.start()
        found = ss.fleet(folder / "fleet.toml", executor=client.get_executor())
        killer.join()
    assert found._csv("fleet") == whole._csv("fleet")


def test_what_does_not_go_together_is_refused(folder: pathlib.Path) -> None:
    file = folder / "fleet.toml"
    with pytest.raises(ss.InputError, match="needs `out`"):
        ss.fleet(file, resume=True)
    with pytest.raises(ss.InputError, match="expected one of alarms"):
        ss.fleet(file, reports="some")
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        with pytest.raises(ss.InputError, match="`resume` was given with `executor`"):
            ss.fleet(file, folder / "pool", resume=True, executor=pool)


def test_a_pool_writes_the_same_reports(folder: pathlib.Path) -> None:
    ss.fleet(folder / "wide.toml", folder / "reports", reports="all")
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        ss.fleet(folder / "wide.toml", folder / "pooled", reports="all", executor=pool)
    reports = sorted(p.name for p in (folder / "reports").glob("report-*.html"))
    assert reports == ["report-b0.html", "report-b1.html", "report-b2.html"]
    for name in ["index.html", *reports]:
        assert (folder / "pooled" / name).read_text() == (folder / "reports" / name).read_text(), name


def only(library: str | None) -> pytest.MonkeyPatch:
    """As if this were the only library that knows Parquet."""
    patch = pytest.MonkeyPatch()
    patch.setattr(_parquet, "_has", lambda name: name == library and importlib.util.find_spec(name) is not None)
    return patch


@pytest.fixture(scope="module", params=["pyarrow", "polars", "program"])
def parquet(request: pytest.FixtureRequest, folder: pathlib.Path, whole: ss.Fleet, program: Callable[..., str]) -> pathlib.Path:
    """A trajectory, an ensemble, a sweep and a fleet, as Parquet, by each that writes it."""
    out = folder / f"parquet-{request.param}"
    model = ss.Oscillator(mass=1, stiffness=1, friction=ss.coulomb(0.5), force=ss.ornstein_uhlenbeck(1, 1), x0=5.0)
    plain = ss.Oscillator(mass=1, stiffness=1, friction=ss.coulomb(0.5), x0=5.0)
    if request.param == "program":
        model.to_toml(folder / "noisy.toml")
        plain.to_toml(folder / "plain.toml")
        out.mkdir()
        for command, file, *options in (
            ["simulate", "plain.toml", "--end", "10"],
            ["ensemble", "noisy.toml", "--end", "1", "--step", "0.01", "--paths", "64"],
            ["sweep", "plain.toml", "--vary", "oscillator.stiffness=1:2:2", "--end", "10"],
            ["fleet", "fleet.toml"],
        ):
            try:
                # A directory holds the results of one run.
                own = folder / f"{out.name}-{command}"
                program(command, str(folder / file), *options, "--format", "parquet", "--out", str(own))
                for table in own.glob("*.parquet"):
                    shutil.copy(table, out / table.name)
            except AssertionError as failed:
                if "cannot write it" not in str(failed):
                    raise
                pytest.skip("the program is built without Parquet")
        return out
    pytest.importorskip(request.param)
    patch = only(request.param)
    out.mkdir()
    for result in (
        ss.simulate(plain, t_end=10),
        ss.ensemble(model, t_end=1, step=0.01, paths=64),
        ss.sweep(plain, {"oscillator.stiffness": [1.0, 2.0]}, t_end=10),
        pickle.loads(pickle.dumps(whole)),
    ):
        # A folder holds the results of one run.
        own = folder / f"{out.name}-{type(result).__name__}"
        result.write(own, format="parquet")
        for table in own.glob("*.parquet"):
            shutil.copy(table, out / table.name)
    patch.undo()
    return out


def test_pandas_reads_the_tables(parquet: pathlib.Path, whole: ss.Fleet) -> None:
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    pytest.importorskip("pyarrow", reason="pyarrow, by which pandas reads Parquet, is not installed")
    frame = pandas.read_parquet(parquet / "fleet.parquet")
    assert list(frame["bearing"]) == list(whole.bearing)
    assert np.array_equal(frame["f_s_over_K"].to_numpy(), whole.f_s_over_K, equal_nan=True)
    assert str(frame["from"].dtype).startswith("datetime64[us, UTC")
    assert frame["from"][0] == pandas.Timestamp("2024-01-01T00:00:00Z")
    for name in ("trajectory", "ensemble", "sweep"):
        assert len(pandas.read_parquet(parquet / f"{name}.parquet")) > 1, name


def test_pyarrow_finds_the_units(parquet: pathlib.Path) -> None:
    pq = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    metadata = pq.read_metadata(parquet / "fleet.parquet")
    units = json.loads(metadata.metadata[b"units"])
    assert units["K"] == "N/m" and units["f_s_over_K"] == "m"
    assert metadata.row_group(0).column(0).compression == "ZSTD"


def test_polars_reads_the_tables(parquet: pathlib.Path, whole: ss.Fleet) -> None:
    polars = pytest.importorskip("polars", reason="polars is not installed")
    frame = polars.read_parquet(parquet / "fleet.parquet")
    assert frame["status"].to_list() == list(whole.status)
    assert frame["from"].dtype == polars.Datetime("us", "UTC")
    found = frame["f_s_over_K"].to_list()
    assert found[:4] == whole.f_s_over_K[:4].tolist() and found[4] is None


def test_duckdb_reads_the_tables(parquet: pathlib.Path, whole: ss.Fleet) -> None:
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed")
    asked = f"select bearing, slips, f_s from '{parquet / 'fleet.parquet'}' where status <> 'unusable' order by bearing"
    rows = duckdb.sql(asked).fetchall()
    assert [r[0] for r in rows] == ["b0", "b1", "b2", "b3"]
    assert [r[2] for r in rows] == whole.f_s[:4].tolist()


def test_parquet_records_give_the_same_fit(folder: pathlib.Path, whole: ss.Fleet) -> None:
    """Long, in two row groups, with typed times: as pandas, Spark or DuckDB write them. No library is needed to read them."""
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    import pyarrow.csv
    import pyarrow.parquet as pq

    table = pa.csv.read_csv(folder / "long.csv")
    table = table.sort_by([("sensor", "ascending"), ("time", "ascending")])
    # A zone that is not UTC, and names as a dictionary.
    zoned = table["time"].cast(pa.timestamp("ms", "UTC")).cast(pa.timestamp("ms", "Europe/Rome"))
    table = table.set_column(table.column_names.index("time"), "time", zoned)
    table = table.set_column(table.column_names.index("sensor"), "sensor", table["sensor"].dictionary_encode())
    pq.write_table(table, folder / "long.parquet", row_group_size=900)
    text = (folder / "long.toml").read_text().replace("long.csv", "long.parquet")
    (folder / "long-parquet.toml").write_text(text)
    patch = only(None)
    try:
        found = ss.fleet(folder / "long-parquet.toml")
        assert np.array_equal(found.f_s_high, whole.f_s_high[:3])
        cut = (folder / "long.parquet").read_bytes()[:-200]
        (folder / "cut.parquet").write_bytes(cut)
        (folder / "cut.toml").write_text(text.replace("long.parquet", "cut.parquet"))
        with pytest.raises(ss.InputError, match="cut.parquet: cannot be"):
            ss.fleet(folder / "cut.toml")
        (folder / "gone.toml").write_text(text.replace("long.parquet", "gone.parquet"))
        with pytest.raises(ss.InputError, match="gone.parquet: cannot be opened: No such file"):
            ss.fleet(folder / "gone.toml")
    finally:
        patch.undo()


def test_without_a_library_that_writes_parquet(folder: pathlib.Path, whole: ss.Fleet) -> None:
    patch = only(None)
    try:
        with pytest.raises(ss.InputError, match="neither pyarrow nor polars; install one"):
            whole.write(folder / "none", format="parquet")
        whole.write(folder / "plain")
        assert (folder / "plain" / "fleet.csv").exists() and not (folder / "plain" / "fleet.parquet").exists()
    finally:
        patch.undo()


@pytest.mark.parametrize("library", ["pyarrow", "polars"])
def test_times_in_seconds_stay_as_they_are(library: str, tmp_path: pathlib.Path) -> None:
    pytest.importorskip(library)
    air = weather(900)
    lines = [f"{3600 * i},{a:.2f},{d:.4f}" for i, (a, d) in enumerate(zip(air, bearing(1, air)))]
    (tmp_path / "record.csv").write_text("\n".join(["time,temperature,b1", *lines]) + "\n")
    (tmp_path / "fleet.toml").write_text(f'[data]\nfile = "record.csv"\n{DATA}time_unit = "s"\nresponses = ["b1"]\n{TAIL}')
    patch = only(library)
    try:
        ss.fleet(tmp_path / "fleet.toml", out=tmp_path / "out")
    finally:
        patch.undo()
    if library == "pyarrow":
        import pyarrow.parquet

        names = pyarrow.parquet.read_table(tmp_path / "out" / "fleet.parquet")["bearing"].to_pylist()
    else:
        names = pytest.importorskip("polars").read_parquet(tmp_path / "out" / "fleet.parquet")["bearing"].to_list()
    assert names == ["b1"]
