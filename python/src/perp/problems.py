"""Complementarity problems without bodies: LCPs, step problems, contact problems of FCLIB; their certificates."""

from __future__ import annotations

import copy
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from typing_extensions import Unpack

from ._declared import (LCPFIELDS, PROBLEMFIELDS, Certificate, ContactCertificate, Gap, Held, LcpCertificate, LcpFields,
                        LcpRayCertificate, ProblemFields)
from ._errors import check, new_error
from ._files import files
from ._native import ffi, lib
from ._struct import (Array, Vector, array, copied, documented, encoded, from_word, number, numbers_of, pointer, set_fields,
                      translate, word)
from .model import Path

Ints = npt.NDArray[np.int32]


def _ints(c: Any, count: int) -> Ints:
    return np.frombuffer(ffi.buffer(c, 4 * count), dtype=np.int32).copy() if count > 0 else np.zeros(0, dtype=np.int32)


def _steps(starts: Ints) -> npt.NDArray[np.int64]:
    """From each of the starts to the next, which int32 may not hold."""
    return np.diff(np.asarray(starts, dtype=np.int64))


def _c_ints(values: Ints) -> Any:
    return ffi.cast("int *", values.ctypes.data)


def _new_solver() -> Any:
    handle = ffi.new("PerpSolver **")
    check(lib.perp_solver_create(ffi.NULL, handle), new_error())
    return ffi.gc(handle[0], lib.perp_solver_destroy)


def _settings(c_type: str, filler: Callable[..., None], values: dict[str, Any], keep: list[Any]) -> Any:
    made = ffi.new(f"{c_type} *")
    filler(made, ffi.sizeof(c_type))
    if "methods" in values and not isinstance(values["methods"], int):
        values["methods"] = sum({1 << from_word("PerpMethod", each) for each in values["methods"]})
    set_fields(made, values, keep)
    return made


# --- linear complementarity problems -----------------------------------------------------------------


@dataclass(frozen=True)
class Ray:
    """A secondary ray: z + t dz solves the problem with q + cover (z0 + t dz0) for all t >= 0."""

    z: Array
    dz: Array
    cover: Array
    z0: float
    dz0: float
    certificate: LcpRayCertificate


@dataclass(frozen=True)
class LcpResult:
    """How an LCP was solved. Only the outcome "solved" carries a solution that the certificate vouches for."""

    outcome: str
    z: Array
    w: Array
    certificate: LcpCertificate
    method: str
    pivots: int
    attempts: int
    basis: npt.NDArray[np.int8]
    basis_reused: bool
    ray: Ray | None


@dataclass(frozen=True)
class Lcp:
    """w = M z + q; w = 0 in the first `free` rows, 0 <= w perp z >= 0 in the others."""

    M: Array
    q: Array
    free: int = 0

    @documented(LCPFIELDS)
    def solve(self, *, cover: Vector | None = None, basis: Any = None, **fields: Unpack[LcpFields]) -> LcpResult:
        """Solves it.

        cover: Lemke's covering vector, n numbers > 0
        basis: that of the result of a similar problem
        """
        keep: list[Any] = []
        lcp = self._c(keep)
        values = translate(fields, LCPFIELDS, "an LCP")
        settings = _settings("PerpLcpSettings", lib.perp_fill_lcp_settings, values, keep)
        if cover is not None:
            keep.append(array(cover, (lcp.n,), "cover"))
            settings.cover = pointer(keep[-1])
        if basis is not None:
            given = array(basis, (lcp.n,), "basis")
            keep.append(given.astype(np.int8))
            if not np.array_equal(keep[-1], given):
                raise ValueError("basis is not one that a result has: its numbers are whole and small")
            settings.basis = ffi.cast("signed char *", keep[-1].ctypes.data)
        solver, result, error = _new_solver(), ffi.new("PerpLcpResult *"), new_error()
        check(lib.perp_lcp_solve(solver, lcp, settings, result, error), error)
        return self._result(result)

    def _result(self, r: Any) -> LcpResult:
        outcome, ray = word("PerpOutcome", r.outcome), None
        if outcome in ("ray", "infeasible"):
            ray = Ray(numbers_of(r.ray.z, r.n), numbers_of(r.ray.dz, r.n), numbers_of(r.ray.cover, r.n), r.ray.z0, r.ray.dz0,
                      LcpRayCertificate(copied(r.ray_certificate)))
        basis = np.frombuffer(ffi.buffer(r.basis, r.n), dtype=np.int8).copy() if r.basis else np.zeros(0, np.int8)
        return LcpResult(outcome, numbers_of(r.z, r.n), numbers_of(r.w, r.n), LcpCertificate(copied(r.certificate)),
                         word("PerpLcpMethod", r.method), r.pivots, r.attempts, basis, r.basis_reused, ray)

    def certify(self, z: Vector) -> LcpCertificate:
        """How far z, from anywhere, is from a solution."""
        keep: list[Any] = []
        made = ffi.new("PerpLcpCertificate *")
        lcp = self._c(keep)
        given = array(z, (lcp.n,), "z")
        lib.perp_lcp_certify(lcp, pointer(given), ffi.NULL, made)
        return LcpCertificate(made)

    def write(self, path: Path) -> None:
        """Writes it as JSON, which read_problem and `perp solve` read, bit for bit."""
        keep: list[Any] = []
        error = new_error()
        check(lib.perp_lcp_write(ffi.NULL, self._c(keep), encoded(os.fspath(path), "path"), error), error)

    def _c(self, keep: list[Any]) -> Any:
        M = array(self.M, (-1, -1), "M")
        n = M.shape[0]
        if M.shape != (n, n) or not 1 <= n <= lib.PERP_LCP_SIZE_LIMIT:
            raise ValueError(f"M has the shape {M.shape}, not n x n with n in 1 .. {lib.PERP_LCP_SIZE_LIMIT}")
        free = number(self.free, "int", "free")
        if not 0 <= free <= n:
            raise ValueError(f"free is {free}, not in 0 .. {n}")
        columns, q = np.array(M.T, order="C"), array(self.q, (n,), "q").copy()  # another thread may change the user's
        keep += [columns, q]
        return ffi.new("PerpLcp *", {"n": n, "free": free, "M": pointer(columns), "q": pointer(q)})


@documented(LCPFIELDS)
def solve_lcp(M: Any, q: Any, *, free: int = 0, cover: Vector | None = None, basis: Any = None,
              **fields: Unpack[LcpFields]) -> LcpResult:
    """Solves w = M z + q with w = 0 in the first `free` rows and 0 <= w perp z >= 0 in the others.

        >>> result = solve_lcp([[2, 1], [1, 2]], [-5, -6])
        >>> result.z.round(5).tolist(), result.outcome
        ([1.33333, 2.33333], 'solved')
    """
    return Lcp(array(M, (-1, -1), "M"), array(q, (-1,), "q"), free).solve(cover=cover, basis=basis, **fields)


# --- step problems -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Friction:
    """A group of friction directions at a contact: rows D over all velocities, or one row.

    circular: one or two directions at right angles with |c| <= mu c_n + cohesion; else the facets of a polygon
    """

    contact: int
    D: Any
    mu: float
    cohesion: float = 0.0
    circular: bool = True


@dataclass(frozen=True)
class StepSolution:
    """How a step problem was solved."""

    outcome: str
    v: Array
    c: Array
    lambda_: Array
    certificate: Certificate
    solved_by: str
    gap: Gap
    held: Held
    pivots: int
    iterations: int
    sweeps: int
    of_contact: Array | None


_INT_ARRAYS = ("body_start", "row_start", "entry_body", "group_contact", "group_start", "group_circular")
_ARRAYS = ("Mt", "b", "J", "d", "lo", "hi", "mu", "cohesion", "compliance")


class StepProblem:
    """The mixed complementarity problem of a time step; numbers only.

    Mt v - J'c = b, y = J v + d, with rows in the order: joints y = 0; boxes lo <= c <= hi; contacts 0 <= y perp
    c >= 0; friction directions. include/perp/problem.h has all of it.

    masses: blocks of Mt, one a body
    b: right-hand side, as many numbers as the blocks have rows
    joints, boxes, contacts: rows over all velocities
    d, compliance: of all rows, 0 if None; lo, hi: of the boxes

    >>> import numpy as np
    >>> p = StepProblem([np.eye(3)], b=[1, 0, -1], contacts=[[0, 0, 1]],
    ...                 friction=[Friction(0, [[1, 0, 0], [0, 1, 0]], mu=0.5)])
    >>> p.solve().v.round(6).tolist()
    [0.5, 0.0, 0.0]
    """

    def __init__(self, masses: Sequence[Any], b: Vector, *, joints: Any = (), boxes: Any = (), lo: Vector = (),
                 hi: Vector = (), contacts: Any = (), friction: Sequence[Friction] = (), d: Vector | None = None,
                 compliance: Vector | None = None) -> None:
        blocks = [array(mass, (-1, -1), "a mass") for mass in masses]
        for block in blocks:
            if block.shape[0] != block.shape[1]:
                raise ValueError(f"a mass has the shape {block.shape}, not n x n")
        starts = np.cumsum([0] + [len(block) for block in blocks])
        n = int(starts[-1])
        groups = [np.atleast_2d(array(each.D, np.shape(each.D), "D")) for each in friction]
        kinds = [np.asarray(rows, dtype=np.float64).reshape(-1, n) if np.size(rows) else np.zeros((0, n))
                 for rows in (joints, boxes, contacts, *groups)]
        rows = np.vstack(kinds) if kinds else np.zeros((0, n))
        self._set_rows(rows, starts)
        self.n_joints, self.n_boxes, self.n_contacts = (len(each) for each in kinds[:3])
        self.n_directions = sum(len(each) for each in kinds[3:])
        self.body_start = starts.astype(np.int32)
        self.Mt = np.concatenate([block.T.ravel() for block in blocks]) if blocks else np.zeros(0)
        zeros = np.zeros(len(rows))
        self.b, self.d = array(b, (n,), "b").copy(), array(zeros if d is None else d, (len(rows),), "d").copy()
        self.compliance = array(zeros if compliance is None else compliance, (len(rows),), "compliance").copy()
        self.lo, self.hi = array(lo, (self.n_boxes,), "lo").copy(), array(hi, (self.n_boxes,), "hi").copy()
        self.group_contact = np.array([each.contact for each in friction], dtype=np.int32)
        self.group_start = np.cumsum([0] + [len(each) for each in kinds[3:]]).astype(np.int32)
        self.mu = np.array([each.mu for each in friction], dtype=np.float64)
        self.cohesion = np.array([each.cohesion for each in friction], dtype=np.float64)
        self.group_circular = np.array([each.circular for each in friction], dtype=np.int32)
        self.t = 0.0
        self.solution: tuple[Array, Array, Array] | None = None
        self.check()

    def _set_rows(self, rows: Array, starts: Any) -> None:
        """The rows in entries, one for each body that a row concerns."""
        entry_body, entries, row_start = [], [], [0]
        for row in rows:
            for body, (first, end) in enumerate(zip(starts, starts[1:])):
                if row[first:end].any():
                    entry_body.append(body)
                    entries.append(row[first:end])
            row_start.append(len(entry_body))
        self.row_start = np.array(row_start, dtype=np.int32)
        self.entry_body = np.array(entry_body, dtype=np.int32)
        self.J = np.concatenate(entries) if entries else np.zeros(0)

    @classmethod
    def _from_c(cls, p: Any) -> StepProblem:
        made = cls.__new__(cls)
        made.n_joints, made.n_boxes, made.n_contacts = p.n_joints, p.n_boxes, p.n_contacts
        made.n_directions = p.n_directions
        rows = lib.perp_problem_rows(p)
        made.body_start = _ints(p.body_start, p.n_bodies + 1)
        sizes = np.diff(made.body_start)
        made.Mt, made.b = numbers_of(p.Mt, int((sizes**2).sum())), numbers_of(p.b, int(sizes.sum()))
        made.row_start = _ints(p.row_start, rows + 1)
        made.entry_body = _ints(p.entry_body, int(made.row_start[-1]) if rows else 0)
        made.J = numbers_of(p.J, int(sizes[made.entry_body].sum()))
        made.d = numbers_of(p.d, rows)
        made.lo, made.hi = numbers_of(p.lo, p.n_boxes), numbers_of(p.hi, p.n_boxes)
        made.group_contact = _ints(p.group_contact, p.n_groups)
        made.group_start = _ints(p.group_start, p.n_groups + 1) if p.n_groups else np.zeros(1, dtype=np.int32)
        made.mu, made.cohesion = numbers_of(p.mu, p.n_groups), numbers_of(p.cohesion, p.n_groups)
        made.group_circular = _ints(p.group_circular, p.n_groups) if p.group_circular else np.zeros(p.n_groups, np.int32)
        made.compliance = numbers_of(p.compliance, rows) if p.compliance else np.zeros(rows)
        made.t, made.solution = 0.0, None
        return made

    @classmethod
    def _of_step(cls, solved: Any) -> StepProblem:
        """A problem of a step, while it is solved."""
        made = cls._from_c(solved.problem)
        made.t, r = solved.t, solved.result
        made.solution = (numbers_of(r.v, made.n_velocities), numbers_of(r.c, len(made.d)),
                         numbers_of(getattr(r, "lambda"), len(made.mu)))
        return made

    @property
    def n_velocities(self) -> int:
        """The length of v."""
        return int(self.body_start[-1])

    def dense(self) -> tuple[Array, Array]:
        """Mt and J as full matrices."""
        n = self.n_velocities
        Mt, J, at = np.zeros((n, n)), np.zeros((len(self.d), n)), 0
        for first, end in zip(self.body_start, self.body_start[1:]):
            size = int(end - first)
            Mt[first:end, first:end] = self.Mt[at:at + size * size].reshape(size, size).T
            at += size * size
        at = 0
        for row in range(len(self.d)):
            for body in self.entry_body[self.row_start[row]:self.row_start[row + 1]]:
                first, end = self.body_start[body], self.body_start[body + 1]
                J[row, first:end] = self.J[at:at + end - first]
                at += int(end - first)
        return Mt, J

    def _c(self, keep: list[Any]) -> Any:
        p = ffi.new("PerpProblem *")
        own = copy.copy(self)  # with arrays that no other thread changes after they were looked at
        for name in _INT_ARRAYS + _ARRAYS:
            made = np.array(getattr(own, name), dtype=np.int32 if name in _INT_ARRAYS else np.float64, order="C")
            keep.append(made)
            setattr(own, name, made)
            setattr(p, name, ffi.cast("int *" if name in _INT_ARRAYS else "double *", made.ctypes.data))
        p.n_bodies, p.n_groups = len(own.body_start) - 1, len(own.mu)
        p.n_joints, p.n_boxes, p.n_contacts, p.n_directions = own.n_joints, own.n_boxes, own.n_contacts, own.n_directions
        if not np.any(own.compliance):
            p.compliance = ffi.NULL
        own._check_lengths()
        return p

    def _check_lengths(self) -> None:
        """C cannot see how long arrays are; what it then checks are the numbers in them."""
        rows, groups = self.n_joints + self.n_boxes + self.n_contacts + self.n_directions, len(self.mu)
        if min(self.n_joints, self.n_boxes, self.n_contacts, self.n_directions) < 0:
            raise ValueError("numbers of rows are >= 0")
        starts = np.asarray(self.body_start)
        sizes = _steps(starts)
        if len(starts) < 1 or starts[0] != 0 or (sizes < 0).any() or len(self.Mt) != int((sizes**2).sum()):
            raise ValueError("body_start begins with 0 and rises, and Mt has the square blocks that it says")
        if len(self.b) != starts[-1] or len(self.row_start) != rows + 1 or len(self.d) != rows or len(
                self.compliance) != rows:
            raise ValueError("b has a number for each velocity, d and compliance one for each row, row_start one more")
        if self.row_start[0] != 0 or (_steps(self.row_start) < 0).any() or self.row_start[-1] != len(self.entry_body):
            raise ValueError("row_start begins with 0, rises, and ends with the number of entries")
        if len(self.entry_body) and not (0 <= min(self.entry_body) and max(self.entry_body) < len(sizes)):
            raise ValueError("entry_body names a body that does not exist")
        if len(self.J) != int(sizes[np.asarray(self.entry_body, dtype=int)].sum()):
            raise ValueError("J has as many numbers as the bodies of its entries have velocities")
        if len(self.lo) != self.n_boxes or len(self.hi) != self.n_boxes:
            raise ValueError("lo and hi have a number for each box")
        if any(len(each) != groups for each in (self.group_contact, self.cohesion, self.group_circular)):
            raise ValueError("group_contact, mu, cohesion and group_circular have a number for each group")
        if len(self.group_start) != groups + 1 or self.group_start[0] != 0 or (
                _steps(self.group_start) < 0).any() or self.group_start[-1] != self.n_directions:
            raise ValueError("group_start begins with 0, rises, and ends with the number of directions")

    def check(self) -> None:
        """Raises unless sizes, indices, signs and values are right; the message names the row or body."""
        keep: list[Any] = []
        error = new_error()
        check(lib.perp_problem_check(self._c(keep), error), error)

    @documented(PROBLEMFIELDS)
    def solve(self, **fields: Unpack[ProblemFields]) -> StepSolution:
        """Solves it, and certifies the solution."""
        keep: list[Any] = []
        values = translate(fields, PROBLEMFIELDS, "a step problem")
        settings = _settings("PerpProblemSettings", lib.perp_fill_problem_settings, values, keep)
        solver, r, error, p = _new_solver(), ffi.new("PerpProblemResult *"), new_error(), self._c(keep)
        check(lib.perp_problem_check(p, error), error)
        check(lib.perp_problem_solve(solver, p, settings, r, error), error)
        residuals = numbers_of(r.of_contact, p.n_contacts) if r.of_contact else None
        return StepSolution(word("PerpOutcome", r.outcome), numbers_of(r.v, p.body_start[p.n_bodies]),
                            numbers_of(r.c, lib.perp_problem_rows(p)), numbers_of(getattr(r, "lambda"), p.n_groups),
                            Certificate(copied(r.certificate)), word("PerpMethod", r.solved_by), Gap(copied(r.gap)),
                            Held(copied(r.held)), r.pivots, r.iterations, r.sweeps, residuals)

    def certify(self, v: Vector, c: Vector, lambda_: Vector) -> Certificate:
        """How far velocities, impulses and slip speeds from anywhere are from a solution."""
        keep: list[Any] = []
        made, error, p = ffi.new("PerpCertificate *"), new_error(), self._c(keep)
        given = [array(v, (p.body_start[p.n_bodies],), "v"), array(c, (lib.perp_problem_rows(p),), "c"),
                 array(lambda_, (p.n_groups,), "lambda_")]
        check(lib.perp_problem_check(p, error), error)
        check(lib.perp_certify(ffi.NULL, p, *(pointer(each) for each in given), made, error), error)
        return Certificate(made)

    def reduce(self) -> Lcp:
        """The LCP in which v and the joints are eliminated, for other solvers; of polygons only."""
        keep: list[Any] = []
        solver, lcp, error, p = _new_solver(), ffi.new("PerpLcp *"), new_error(), self._c(keep)
        check(lib.perp_problem_check(p, error), error)
        check(lib.perp_problem_reduce(solver, p, lcp, error), error)
        return _lcp_from_c(lcp)

    def write(self, path: Path) -> None:
        """Writes it as JSON, which read_problem and `perp solve` read, bit for bit."""
        keep: list[Any] = []
        error = new_error()
        check(lib.perp_problem_write(ffi.NULL, self._c(keep), encoded(os.fspath(path), "path"), error), error)

    def __repr__(self) -> str:
        return (f"<perp step problem: {self.n_velocities} velocities, {self.n_joints} joint rows, {self.n_boxes} boxes, "
                f"{self.n_contacts} contacts>")


def _lcp_from_c(lcp: Any) -> Lcp:
    return Lcp(numbers_of(lcp.M, lcp.n**2).reshape(lcp.n, lcp.n).T.copy(), numbers_of(lcp.q, lcp.n), lcp.free)


# --- contact problems of FCLIB -----------------------------------------------------------------------


@dataclass(frozen=True)
class ContactSolution:
    """How a contact problem was solved."""

    outcome: str
    r: Array
    u: Array
    certificate: ContactCertificate
    solved_by: str
    islands: int
    sweeps: int
    iterations: int


@dataclass(frozen=True)
class ContactProblem:
    """u = W r + q under the exact law of friction, in the velocities of the contacts; FCLIB calls it local.

    dimension: 2 or 3; mu: one a contact; start, column, x: the matrix in compressed rows, contacts (normal first)
    and then bilateral rows; q: one a row.
    """

    dimension: int
    mu: Array
    start: Ints
    column: Ints
    x: Array
    q: Array
    bilateral: int = 0

    @classmethod
    def from_matrix(cls, W: Any, q: Any, mu: Any, dimension: int = 3, bilateral: int = 0) -> ContactProblem:
        """Of a full matrix."""
        matrix = array(W, (-1, -1), "W")
        row, column = np.nonzero(matrix)
        start = np.searchsorted(row, np.arange(len(matrix) + 1)).astype(np.int32)
        return cls(dimension, array(mu, (-1,), "mu"), start, column.astype(np.int32), matrix[row, column],
                   array(q, (len(matrix),), "q"), bilateral)

    @property
    def rows(self) -> int:
        """Of the matrix."""
        return len(self.mu) * self.dimension + self.bilateral

    def _c(self, keep: list[Any]) -> Any:
        if self.dimension not in (2, 3) or self.bilateral < 0:
            raise ValueError(f"dimension is {self.dimension}, not 2 or 3, or bilateral {self.bilateral} is not >= 0")
        start, column = (np.array(each, dtype=np.int32, order="C") for each in (self.start, self.column))
        x, mu = array(self.x, (len(column),), "x").copy(), array(self.mu, (-1,), "mu").copy()
        rows = len(mu) * self.dimension + self.bilateral
        q = array(self.q, (rows,), "q").copy()
        if len(start) != rows + 1 or start[0] != 0 or (_steps(start) < 0).any() or start[-1] != len(column):
            raise ValueError("start begins with 0, rises, has one number more than rows and ends with the entries")
        keep += [start, column, x, mu, q]
        return ffi.new("PerpContactProblem *", {
            "dimension": self.dimension, "contacts": len(mu), "bilateral": self.bilateral, "mu": pointer(mu),
            "start": _c_ints(start), "column": _c_ints(column), "x": pointer(x), "q": pointer(q)})

    @documented(PROBLEMFIELDS)
    def solve(self, **fields: Unpack[ProblemFields]) -> ContactSolution:
        """Solves it; of the keywords tolerance and methods count."""
        keep: list[Any] = []
        values = translate(fields, PROBLEMFIELDS, "a contact problem")
        settings = _settings("PerpProblemSettings", lib.perp_fill_problem_settings, values, keep)
        solver, r, error, p = _new_solver(), ffi.new("PerpContactResult *"), new_error(), self._c(keep)
        check(lib.perp_contact_problem_check(p, error), error)
        check(lib.perp_contact_problem_solve(solver, p, settings, r, error), error)
        rows = lib.perp_contact_problem_rows(p)
        return ContactSolution(word("PerpOutcome", r.outcome), numbers_of(r.r, rows), numbers_of(r.u, rows),
                               ContactCertificate(copied(r.certificate)), word("PerpMethod", r.solved_by), r.islands,
                               r.sweeps, r.iterations)

    def certify(self, r: Vector) -> ContactCertificate:
        """How far impulses from anywhere are from a solution."""
        keep: list[Any] = []
        made, error, p = ffi.new("PerpContactCertificate *"), new_error(), self._c(keep)
        given = array(r, (lib.perp_contact_problem_rows(p),), "r")
        check(lib.perp_contact_problem_check(p, error), error)
        check(lib.perp_contact_problem_certify(ffi.NULL, p, pointer(given), ffi.NULL, made, error), error)
        return ContactCertificate(made)


def read_problem(path: Path, *, facets: int = 0) -> Lcp | StepProblem | ContactProblem:
    """A problem from a file, JSON or FCLIB's HDF5.

    facets: of the polygon that stands for the circle of FCLIB problems; 0: the circle itself

    >>> read_problem("scenes/problems/incline.json").solve().outcome
    'solved'
    """
    keep: list[Any] = []
    options = _settings("PerpProblemFileOptions", lib.perp_fill_problem_file_options, {"facets": facets}, keep)
    handle, error = ffi.new("PerpProblemFile **"), new_error()
    with files:
        status = lib.perp_problem_file_read(ffi.NULL, encoded(os.fspath(path), "path"), options, handle, error)
    check(status, error)
    file = ffi.gc(handle[0], lib.perp_problem_file_destroy)
    kind = lib.perp_problem_file_kind(file)
    if kind == lib.PERP_PROBLEM_FILE_LCP:
        return _lcp_from_c(lib.perp_problem_file_lcp(file))
    if kind == lib.PERP_PROBLEM_FILE_STEP:
        return StepProblem._from_c(lib.perp_problem_file_step(file))
    p = lib.perp_problem_file_contact(file)
    rows = lib.perp_contact_problem_rows(p)
    start = _ints(p.start, rows + 1)
    return ContactProblem(p.dimension, numbers_of(p.mu, p.contacts), start, _ints(p.column, int(start[-1])),
                          numbers_of(p.x, int(start[-1])), numbers_of(p.q, rows), p.bilateral)
