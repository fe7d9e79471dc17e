"""Studies by executors: processes, Dask with a worker that is killed, MPI. The same bits everywhere."""

import concurrent.futures
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import perp
import pytest

pandas = pytest.importorskip("pandas")

STUDY = {
    "scene": "scenes/bouncing-ball.yaml",
    "vary": {"random": 24, "of": {"e": {"uniform": [0.1, 0.9]}, "drop": {"uniform": [0.5, 1]}}},
    "run": {"t": 1, "h": 1e-3},
    "measure": {"height": "ball.z", "lost": "impact", "never": "first(ball.z < -1)"},
}
APART = ["seconds", "host"]


@pytest.fixture(scope="module")
def expected():
    root = pathlib.Path(__file__).resolve().parents[2]
    os.chdir(root)
    return perp.sweep(STUDY).dataframe().drop(columns=APART)


def test_rows_as_they_arrive(expected, tmp_path):
    results = perp.sweep(STUDY, output=tmp_path / "out", chunk=5)
    frames = list(results)
    assert len(frames) == 5
    found = pandas.concat(frames).sort_values("case").reset_index(drop=True).drop(columns=APART)
    pandas.testing.assert_frame_equal(found, expected, check_exact=True)
    assert list(results) == []  # all there
    pandas.testing.assert_frame_equal(results.dataframe().drop(columns=APART), expected, check_exact=True)
    assert expected["never"].isna().all() and (expected["outcome"] == "finished").all()


def test_processes(expected):
    with concurrent.futures.ProcessPoolExecutor(2) as executor:
        found = perp.sweep(STUDY, executor).dataframe()
    pandas.testing.assert_frame_equal(found.drop(columns=APART), expected, check_exact=True)


def test_who_wants_no_more_rows_does_not_wait(expected):
    with concurrent.futures.ThreadPoolExecutor(1) as executor:
        begun = []
        submit = executor.submit

        def count(function, *arguments):
            return submit(lambda: begun.append(1) or function(*arguments))

        executor.submit = count
        next(iter(perp.sweep(STUDY, executor, chunk=1)))
    assert len(begun) < 12
    assert len(expected) == 24


def test_goes_on_without_the_scene_it_began_with(expected, tmp_path):
    scene = tmp_path / "ball.yaml"  # workers have no common file system: they may not see it either
    shutil.copy("scenes/bouncing-ball.yaml", scene)
    study = {**STUDY, "scene": scene}
    next(iter(perp.sweep(study, output=tmp_path / "out", chunk=5)))
    results = perp.sweep(study, output=tmp_path / "out")
    scene.unlink()
    pandas.testing.assert_frame_equal(results.dataframe().drop(columns=APART), expected, check_exact=True)


def test_recordings_come_back(tmp_path):
    h5py = pytest.importorskip("h5py")
    results = perp.sweep({**STUDY, "keep": 10}, output=tmp_path / "out", chunk=4)
    assert len(results.dataframe()) == 24
    kept = sorted((tmp_path / "out" / "recordings").rglob("*.h5"))
    assert [path.name for path in kept] == ["case-0000000.h5", "case-0000010.h5", "case-0000020.h5"]
    with h5py.File(kept[1]) as file:
        assert len(file) > 0
    assert not [path for path in (tmp_path / "out").rglob("*.new")]


def test_numbers_of_numpy():
    import numpy
    study = {**STUDY, "vary": {"e": numpy.linspace(0.1, 0.5, 3), "drop": [numpy.float32(0.5)]}, "keep": numpy.int64(9)}
    assert list(perp.sweep(study).dataframe()["e"]) == list(numpy.linspace(0.1, 0.5, 3))


def test_nobody_waits_for_rows_that_are_not_wanted(tmp_path):
    study = {**STUDY, "vary": {"length": [0.01, 2e5]}, "run": {"t": "length", "h": 1e-3}}  # some minutes
    start, rows = time.monotonic(), iter(perp.sweep(study, output=tmp_path / "out", chunk=1))
    assert next(rows)["case"].tolist() == [0]
    rows.close()
    assert time.monotonic() - start < 60


def test_bad_studies():
    with pytest.raises(perp.Error, match='the key "scene" is missing'):
        perp.sweep({"vary": {"e": [1]}})
    with pytest.raises(perp.Error, match='unknown parameter "f"; the nearest is "r"|unknown parameter "f"'):
        perp.sweep({**STUDY, "vary": {"f": [1]}})
    with pytest.raises(perp.Error, match="unknown name"):
        perp.sweep({**STUDY, "measure": {"x": "bal.x"}})
    with pytest.raises(TypeError, match="made of numbers, .* not complex"):
        perp.sweep({**STUDY, "vary": {"e": [1j]}})
    with pytest.raises(TypeError, match="executor is int"):
        perp.sweep(STUDY, 3)


def test_bad_studies_leave_no_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", os.fspath(tmp_path))
    with pytest.raises(perp.Error):
        perp.sweep({**STUDY, "vary": {"f": [1]}})
    assert not list(tmp_path.iterdir())


def test_dask_with_a_killed_worker(expected):
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=3, threads_per_worker=1, processes=True, dashboard_address=None) as cluster, \
            distributed.Client(cluster) as client:
        results = perp.sweep(STUDY, client.get_executor(), chunk=2)
        frames = []
        for frame in results:
            if not frames:
                os.kill(next(iter(cluster.workers.values())).pid, signal.SIGKILL)
            frames.append(frame)
    found = pandas.concat(frames).sort_values("case").reset_index(drop=True)
    pandas.testing.assert_frame_equal(found.drop(columns=APART), expected, check_exact=True)


SCRIPT = """
import json, sys, mpi4py.futures, perp
if __name__ == "__main__":
    with mpi4py.futures.MPIPoolExecutor() as executor:
        table = perp.sweep(json.loads(sys.argv[1]), executor, chunk=4).dataframe()
    table.to_pickle(sys.argv[2])
"""


def test_mpi(expected, tmp_path):
    pytest.importorskip("mpi4py")
    if not shutil.which("mpirun"):
        pytest.skip("no mpirun")
    import json
    (tmp_path / "script.py").write_text(SCRIPT)
    environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                   "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_btl_vader_single_copy_mechanism": "none"}
    subprocess.run(["mpirun", "-n", "3", sys.executable, "-m", "mpi4py.futures", tmp_path / "script.py",
                    json.dumps(STUDY), tmp_path / "table.pickle"], env=environment, check=True, timeout=600)
    found = pandas.read_pickle(tmp_path / "table.pickle")
    pandas.testing.assert_frame_equal(found.drop(columns=APART), expected, check_exact=True)


def test_parquet(tmp_path):
    pytest.importorskip("pyarrow")
    results = perp.sweep(STUDY, output=tmp_path / "out")
    table = results.dataframe()
    for ending in ("parquet", "h5"):
        subprocess.run([perp._program.PROGRAM, "sweep", "collect", tmp_path / "out", "-o", tmp_path / f"t.{ending}"],
                       check=True)
    found = pandas.read_parquet(tmp_path / "t.parquet")
    for name in table.columns:
        same = found[name].fillna("") if found[name].dtype == object else found[name]
        pandas.testing.assert_series_equal(same, table[name].fillna("") if same.dtype == object else table[name],
                                           check_exact=True, check_dtype=False)
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "t.h5") as file:
        assert file.attrs["columns"].decode().split(",") == list(table.columns)
        assert (file["height"][:] == table["height"]).all()
        assert [text.decode() for text in file["outcome"][:]] == list(table["outcome"])
