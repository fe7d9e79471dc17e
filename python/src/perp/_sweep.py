"""Many runs: the cases of a study on whatever has the interface of concurrent.futures."""

from __future__ import annotations

import concurrent.futures
import contextlib
import functools
import io
import json
import os
import pathlib
import queue
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ._errors import Error
from ._program import PROGRAM, call

if TYPE_CHECKING:
    import pandas

_ATTEMPTS = 5  # at a chunk whose worker is lost


def _read(table: Any) -> pandas.DataFrame:
    """A table of CSV, to the last bit of its numbers, as pandas 3 reads it anyway."""
    import pandas

    exact: dict[str, Any] = {} if int(pandas.__version__.partition(".")[0]) >= 3 else {"float_precision": "round_trip"}
    return pandas.read_csv(table, **exact)


def _rows_path(folder: pathlib.Path, chunk: int) -> pathlib.Path:
    return folder / "rows" / f"{chunk // 1000:03d}" / f"{chunk:05d}.rows"


def _read_files(folder: pathlib.Path, below: str) -> dict[str, bytes]:
    return {os.fspath(path.relative_to(folder)): path.read_bytes()
            for path in (folder / below).rglob("*") if path.is_file()}


def _run_chunk(files: dict[str, bytes], chunk: int, processes: set[subprocess.Popen[str]] | None = None
               ) -> tuple[bytes, str, dict[str, bytes]]:
    """Runs a chunk where this is called: its rows as perp sweep keeps them, and as CSV; its recordings.

    The cases run in processes of the program's own, so that one that crashes is a row, not the end of the worker.
    processes: the program is one of these meanwhile
    """
    with tempfile.TemporaryDirectory(prefix="perp-sweep-") as name:
        folder = pathlib.Path(name)
        for path, content in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(content)
        call("sweep", "work", name, "--task", f"{chunk}-{chunk}", "-j", "1", processes=processes)
        table = folder / "table.csv"  # the other chunks are missing here, which is no failure
        subprocess.run([os.fspath(PROGRAM), "sweep", "collect", name, "-o", os.fspath(table)], capture_output=True,
                       check=False)
        return _rows_path(folder, chunk).read_bytes(), table.read_text(), _read_files(folder, "recordings")


def _write_study(study: Mapping[str, Any], path: pathlib.Path) -> None:
    """As JSON, which is YAML: numbers and arrays of NumPy as numbers and lists, the scene's path absolute."""
    scene = {"scene": os.path.abspath(study["scene"])} if "scene" in study else {}
    path.write_text(json.dumps({**study, **scene}, default=_plain))


def _plain(value: Any) -> Any:
    if not hasattr(value, "tolist"):
        raise TypeError(f"a study is made of numbers, text, lists and dicts, not {type(value).__name__}")
    return value.tolist()


class Sweep:
    """A study under way. Iterating gives tables of rows as they arrive; `dataframe()` waits for all.

    `folder` is what perp sweep works with: `perp sweep status`, `collect`, `verify` and `perp plot` take it.
    """

    def __init__(self, folder: pathlib.Path, executor: Any) -> None:
        self.folder = folder
        self._executor = executor
        plan = (folder / "plan").read_text().split("\n")
        numbers = dict(line.split(" ", 1) for line in plan if " " in line)
        chunk, points = int(numbers["chunk"]), int(numbers["points"])
        self._chunks = range((points + chunk - 1) // chunk)
        self._files = {"plan": (folder / "plan").read_bytes(), **_read_files(folder, "files")}

    def __iter__(self) -> Iterator[pandas.DataFrame]:
        done: queue.SimpleQueue[tuple[int, Any]] = queue.SimpleQueue()
        attempts = dict.fromkeys((k for k in self._chunks if not _rows_path(self.folder, k).exists()), 0)
        futures: dict[int, Any] = {}
        with contextlib.ExitStack() as stack:
            processes: set[subprocess.Popen[str]] = set()  # of this machine's own threads
            executor = self._executor or stack.enter_context(
                concurrent.futures.ThreadPoolExecutor(os.cpu_count()))
            run = _run_chunk if self._executor else functools.partial(_run_chunk, processes=processes)

            def stop() -> None:
                """An interrupt, or whoever wants no more rows, waits for no chunk that has not begun, nor for any of here."""
                for future in futures.values():
                    future.cancel()
                for process in processes.copy():
                    process.terminate()

            stack.callback(stop)

            def submit(chunk: int) -> None:
                attempts[chunk] += 1
                future = futures[chunk] = executor.submit(run, self._files, chunk)
                future.add_done_callback(lambda finished: done.put((chunk, finished)))

            for chunk in list(attempts):
                submit(chunk)
            while attempts:
                chunk, future = done.get()
                try:
                    rows, table, recordings = future.result()
                except (concurrent.futures.BrokenExecutor, Error):
                    raise
                except Exception as fault:  # whatever an engine raises when it loses a worker
                    if attempts[chunk] == _ATTEMPTS:
                        raise Error(f"chunk {chunk} was lost {_ATTEMPTS} times: {fault!r}") from fault
                    submit(chunk)
                    continue
                del attempts[chunk], futures[chunk]
                for path, recording in recordings.items():
                    self._keep(self.folder / path, recording)
                self._keep(_rows_path(self.folder, chunk), rows)  # last: then the chunk is done
                yield _read(io.StringIO(table))

    def _keep(self, path: pathlib.Path, content: bytes) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(f".{os.getpid()}.new")
        with open(part, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        part.rename(path)

    def dataframe(self) -> pandas.DataFrame:
        """All rows, in the order of cases, after running those that are missing."""
        for _ in self:
            pass
        table = self.folder / "table.csv"
        call("sweep", "collect", os.fspath(self.folder), "-o", os.fspath(table))
        return _read(table)


def sweep(study: str | os.PathLike[str] | Mapping[str, Any], executor: Any = None,
          output: str | os.PathLike[str] | None = None, *, chunk: int | None = None) -> Sweep:
    """The cases of a study (docs/sweep.md), a file or a dict with its keys, run by an executor.

    executor: anything with the interface of concurrent.futures: a ProcessPoolExecutor, `client.get_executor()` of
    dask.distributed, an MPIPoolExecutor of mpi4py.futures; None: the cores of this machine. Its workers need perp,
    no common file system. output: a folder for the rows, with which an interrupted study goes on; None: a new one in
    the temporary folder. chunk: cases of a task.

    >>> study = {"scene": "scenes/bouncing-ball.yaml", "vary": {"e": [0.5, 0.8]}, "run": {"t": 0.5},
    ...          "measure": {"lowest": "smallest(ball.z)"}}
    >>> table = sweep(study).dataframe()
    >>> table["e"].tolist(), table["outcome"].tolist()
    ([0.5, 0.8], ['finished', 'finished'])
    """
    if executor is not None and not callable(getattr(executor, "submit", None)):
        raise TypeError(f"executor is {type(executor).__name__}, which has no submit()")
    options = [] if chunk is None else ["--chunk", str(chunk)]
    with tempfile.TemporaryDirectory(prefix="perp-study-") as room, contextlib.ExitStack() as unless_prepared:
        if isinstance(study, Mapping):
            path = pathlib.Path(room) / "study.yaml"
            _write_study(study, path)
            study = path
        folder = pathlib.Path(tempfile.mkdtemp(prefix="perp-sweep-") if output is None else output)
        if output is None:
            unless_prepared.callback(shutil.rmtree, folder)
        call("sweep", os.fspath(study), "-o", os.fspath(folder), "--prepare", *options)
        unless_prepared.pop_all()
    return Sweep(folder, executor)
