"""perp: rigid bodies with joints, contact, Coulomb friction and impact. Each step is solved, and certified.

    import perp
    m = perp.Model()
    m.world(perp.Plane())
    m.body(perp.Box(1, 1, 1), at=(0, 0, 2), name="box")
    sim = m.simulate(h=1e-3)
    sim.step(1000)
    print(sim.body("box").position, sim.report.certificate.worst)
"""

from . import robots
from ._declared import Certificate, ContactCertificate, Energy, LcpCertificate, RecordingInfo, Report
from ._errors import BadFile, BadValue, Busy, Closed, Error, FileFailure, NotSolved, NotSupported, OutOfMemory
from ._native import ffi as _ffi
from ._native import lib as _lib
from ._sweep import Sweep, sweep
from .batch import Batch, rollout
from .model import Axis, Body, Joint, Model, load
from .papers import paper, papers
from .problems import (ContactProblem, ContactSolution, Friction, Lcp, LcpResult, StepProblem, StepSolution,
                       read_problem, solve_lcp)
from .recording import Page, Recorder, Recording, event_kinds, open, record
from .shapes import Box, Capsule, Cylinder, Ellipsoid, HeightField, Hull, Mesh, Plane, Point, Shape, Sphere
from .simulation import (CONTACT, BodyState, ContactStatus, JointState, Nearest, Simulation, Verdict, methods, schemes,
                         sensor_kinds)
from .system import CustomSimulation, System

__version__: str = _ffi.string(_lib.perp_version()).decode()
__all__ = [
    "Axis", "BadFile", "BadValue", "Batch", "Body", "BodyState", "Box", "Busy", "CONTACT", "Capsule", "Certificate",
    "Closed", "ContactCertificate", "ContactProblem", "ContactSolution", "ContactStatus", "CustomSimulation",
    "Cylinder", "Ellipsoid", "Energy", "Error", "FileFailure", "Friction", "HeightField", "Hull", "Joint",
    "JointState", "Lcp", "LcpCertificate", "LcpResult", "Mesh", "Model", "Nearest", "NotSolved", "NotSupported", "OutOfMemory",
    "Page", "Plane", "Point", "Recorder", "Recording", "RecordingInfo", "Report", "Shape", "Simulation", "Sphere",
    "StepProblem", "StepSolution", "Sweep", "System", "Verdict", "event_kinds", "load", "methods", "open", "paper", "papers",
    "read_problem", "record", "robots", "rollout", "schemes", "sensor_kinds", "solve_lcp",
    "sweep",
]
