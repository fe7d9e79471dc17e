"""perp: rigid bodies with joints, contact, Coulomb friction and impact. Each step is solved, and certified.

    import perp
    m = perp.Model()
    m.world(perp.Plane())
    m.body(perp.Box(1, 1, 1), at=(0, 0, 2), name="box")
    sim = m.simulate(h=1e-3)
    sim.step(1000)
    print(sim.body("box").position, sim.report.certificate.worst)
"""

from ._errors import BadFile, BadValue, Busy, Closed, Error, FileFailure, NotSolved, NotSupported, OutOfMemory
from ._native import ffi as _ffi
from ._native import lib as _lib
from .model import Axis, Body, Joint, Model, load
from .shapes import Box, Capsule, Cylinder, Ellipsoid, HeightField, Hull, Mesh, Plane, Point, Shape, Sphere
from .simulation import CONTACT, BodyState, ContactStatus, JointState, Simulation, methods, schemes

__version__: str = _ffi.string(_lib.perp_version()).decode()
__all__ = [
    "Axis", "BadFile", "BadValue", "Body", "BodyState", "Box", "Busy", "CONTACT", "Capsule", "Closed", "ContactStatus",
    "Cylinder", "Ellipsoid", "Error", "FileFailure", "HeightField", "Hull", "Joint", "JointState", "Mesh", "Model",
    "NotSolved", "NotSupported", "OutOfMemory", "Plane", "Point", "Shape", "Simulation", "Sphere", "load", "methods",
    "schemes",
]
