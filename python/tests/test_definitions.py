"""Every definition of the library can be made in Python, and every keyword says its unit and its default."""

import inspect
import re

import numpy as np
import perp
import pytest
from perp import _declared, model
from perp._native import ffi
from perp._struct import Field, defaults, described
from perp.simulation import settings_to_c

TABLES = {name: table for name, table in vars(_declared).items()
          if isinstance(table, dict) and table and isinstance(next(iter(table.values())), Field)}
# numbers without a unit, or in the unit of what they are for
PLAIN = {"quaternion", "colour", "restitution", "mu", "second_mu", "axis", "gear", "control_lower", "control_upper", "noise",
         "tolerance", "held_tolerance", "first_step"}
UNIT = re.compile(r"\b(m|kg|s|rad|N|Hz|m/s|rad/s|N/m|kg/m)\b")


def everything():
    """A model that says something else than the default in every field of every definition."""
    m = perp.Model(gravity=(0, 0, -1), control_every=2, noise_seed=7)
    m.material("default", mu=0.4)
    m.material("wood", mu=0.3, second_mu=0.2, axis=(1, 0, 0), torsion=1e-3, rolling=1e-3, restitution=0.1)
    m.material("rubber", stiffness=1e5, damping=10)
    m.pair("wood", "default", mu=0.1, second_mu=0.2, torsion=1e-3, rolling=1e-3, restitution=0.1)
    m.pair("wood", "rubber", stiffness=1e5, damping=10)
    m.world(perp.Plane(), perp.Mesh([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 1, 2)], at=(0, 90, -9)),
            perp.HeightField((1, 1), np.zeros((2, 3)), at=(0, 99, -9), name="field"))
    m.body(perp.Box(1, 1, 1, at=(0.1, 0, 0), turn=((0, 0, 1), 1), density=3, material="wood", group=2, mask=3,
                    surface_velocity=(1, 0, 0), colour=(1, 0, 0, 1), name="side"),
           at=(0, 0, 5), turn=((0, 0, 1), 1), velocity=(1, 0, 0), spin=(0, 0, 1), name="box")
    m.body(perp.Hull([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]), at=(9, 0, 5), mass=1, centre=(0.1, 0, 0),
           inertia=(1, 1, 1), name="hull")
    m.body(perp.Sphere(0.1), at=(5, 0, 5), free="point", name="point")
    for k in range(11):
        m.body(perp.Sphere(0.1), at=(k, 20, 5), name=f"ball-{k}")
    m.hinge("hull", "ball-0", at=(0, 20, 5), axis=(0, 1, 0), collide=True, ratchet=True, start=0.5, end=2, name="hinge",
            lower=-1, upper=1, restitution=0.5, motor_speed=1, motor_force=1, friction=1, stiffness=1, damping=1, rest=1)
    m.slider(None, "ball-1", axis=(1, 0, 0), name="rail", armature=1, lower=-1, limit_stiffness=1, limit_damping=1)
    m.universal("ball-2", "ball-3", at=(2, 20, 5), axis=(0, 1, 0), second_axis=(0, 0, 1), second=perp.Axis(friction=1))
    m.cylindrical(None, "ball-4", at=(4, 20, 5), name="screw")
    m.rope("ball-5", "ball-6", at=(5, 20, 5), to=(6, 20, 5), length=2, restitution=0.1)
    m.coupling("rail", "screw", ratio=(2, 3), coordinates=(0, 1), name="rack")
    m.coupling("screw", "rail", coordinates=(1, 0))
    m.spring("ball-7", "ball-8", at=(7, 20, 5), to=(8, 20, 5), stiffness=1, damping=1, rest=1, start=0.5, end=2, name="spring")
    m.signal("gust", "k*t", constants={"k": 3})
    m.signal("table", [(0, 1), (1, 2)], cubic=True)
    m.signal("input", 3.0)
    m.force("ball-9", at=(0, 0, 0.1), force=("sin(t)", 1, 0), torque=(1, 0, "gust"), wave=(1, 0, 0), frequency=1, phase=1,
            start=0.5, end=2, name="force")
    m.exclude("ball-9", "ball-10")
    m.site("tool", "box", at=(1, 0, 0), turn=((0, 0, 1), 1))
    m.site("end", "point")
    m.actuator("servo", "screw", kind="position", coordinate=1, kp=1, kd=1, gear=2, force_lower=-1, force_upper=1,
               control_lower=-1, control_upper=1, time_constant=1, start=0.5, end=2, control="table")
    m.actuator("rope", tendon={"rail": 1.0, ("screw", 1): 2.0})
    m.actuator("pull", site="tool", to="end")
    m.actuator("jet", site="tool", wrench=(1, 0, 0, 0, 0, 1))
    m.motion("ball-10", position=("t", None, None), angle="t", axis=(1, 0, 0))
    m.motion("ball-9", position=("1", None, None), velocity=True)
    m.sensor("angle", "joint-position", "screw", coordinate=1, noise=0.1)
    m.sensor("near", "distance", "box", other="point", shape="side", other_shape=m.shapes.index("side") + 2)
    m.sensor("force", "joint-force", "rail", frame="tool")
    m.sensor("height", "range", "tool", limit=3)
    m.sensor("energy", "energy", ["box", "point"])
    m.keyframe("first")
    m.keyframe("far", joints={"rail": (0.5, 1), ("screw", 1): 1}, inputs={"input": 2}, controls={"pull": 1, "jet": 2},
               bodies={"box": {"at": (0, 0, 6), "turn": ((0, 0, 1), 2), "velocity": (0, 1, 0), "spin": (1, 0, 0)}, "ball-8": {}}, start=True)
    return m


def said(struct, value, default, found):
    """Fields of a definition that differ from the default, and those of what it leads to."""
    for name, field in ffi.typeof(struct).fields:
        given, kind = getattr(value, name), field.type.kind
        if kind in ("pointer", "array") and field.type.item.kind == "struct":
            item, counts = field.type.item.cname, {"terms": "n_terms", "constants": "n_constants", "poses": "n_poses",
                                                   "joints": "n_joints", "controls": "n_controls", "inputs": "n_inputs"}
            count = field.type.length if kind == "array" else getattr(value, counts[name]) if name in counts else 0
            for k in range(count):
                said(item, given[k], defaults(item), found)
            different = count > 0
        elif kind == "array":
            different = list(given) != list(getattr(default, name))
        elif kind == "pointer" and field.type.item.cname == "char":
            different = bool(given and ffi.string(given))
        else:
            different = given != getattr(default, name)
        if different:
            found.add((struct, name))


def test_every_field_of_every_definition_can_be_said(monkeypatch):
    found, create = set(), model.create_model

    def looked_at(definition):
        said("PerpModelDef", definition, defaults("PerpModelDef"), found)
        for kind, (struct, _, count, _) in model._ARRAYS.items():
            for k in range(getattr(definition, count)):
                said(struct, getattr(definition, kind)[k], defaults(struct), found)
        return create(definition)

    monkeypatch.setattr(model, "create_model", looked_at)
    everything().simulate().step(3)
    arrays = {kind: field.type.item.cname.removeprefix("struct ") for kind, field in ffi.typeof("PerpModelDef").fields
              if field.type.kind == "pointer" and field.type.item.kind == "struct"}
    assert arrays == {kind: struct for kind, (struct, *_) in model._ARRAYS.items()}  # of a new kind, too
    structs = {struct for struct, _ in found} | set(arrays.values()) | {"PerpModelDef"}
    fields = {(struct, name) for struct in structs for name, _ in ffi.typeof(struct).fields}
    of_c = {("PerpModelDef", name) for name in [*arrays, *(n for n, _ in ffi.typeof("PerpModelDef").fields if n.endswith("size"))]}
    of_files = {("PerpSignalDef", name) for name in ("file", "line", "column")}
    assert fields - found - of_c - of_files == set()


def test_everything_is_kept_by_copies():
    m = everything()
    again = m.copy()
    for each in (again, m.vary({"hinge.limit_damping": 2.0, "box.mass": 3.0})):
        assert each._more["keyframe"] == 1 and each.simulate().joint("rail").coordinate == 0.5
    again.keyframe("third", start=True)
    assert m._more["keyframe"] == 1 and again.simulate().joint("rail").coordinate == 0


@pytest.mark.parametrize("title", TABLES)
def test_keywords_say_unit_and_default(title):
    for name, field in TABLES[title].items():
        text = described(field)
        assert "default" in text, (name, text)
        assert not re.search(r"PERP_|NULL|INFINITY|\bfalse\b|\btrue\b|as above|perp_|default [A-Z_]{3}", text), (name, text)
        c_type = dict(ffi.typeof(field.struct).fields)[field.name].type
        number = c_type.item if c_type.kind == "array" else c_type
        if number.cname == "double" and name not in PLAIN:
            assert UNIT.search(text), (name, text)


def test_defaults_are_those_of_the_library():
    assert described(TABLES["AXISFIELDS"]["upper"]).endswith("default inf")
    assert described(TABLES["SETTINGS"]["h"]) == "s, default 0.001, > 0"
    assert "default 'switch'; 'switch', 'approximate', 'exact'" in described(TABLES["SETTINGS"]["jacobian"])
    assert "default (1, 0, 0, 0)" in described(TABLES["BODYFIELDS"]["quaternion"])
    assert "default (-1, -1, -1, -1): any" in described(TABLES["SHAPEFIELDS"]["colour"])


def test_docstrings_name_all_keywords():
    functions = [function for owner in (perp, perp.Model, perp.System, perp.Batch, perp.StepProblem, perp.ContactProblem, perp.Lcp)
                 for name, function in inspect.getmembers(owner, lambda each: inspect.isfunction(each) or inspect.isclass(each))
                 if name != "__init__"]  # its class says it
    taking = 0
    for function in functions:
        signature = inspect.signature(function.__init__ if inspect.isclass(function) else function)
        fields = [each.annotation for each in signature.parameters.values() if each.kind is each.VAR_KEYWORD]
        fields = [each for each in fields if str(each).startswith("Unpack[")]
        for title in fields:
            taking += 1
            names = re.fullmatch(r"Unpack\[(\w+)\]", title)[1]
            for table in {"OneAxisFields": ["JOINTFIELDS", "AXISFIELDS"]}.get(names, [names.upper()]):
                for name, field in TABLES[table].items():
                    assert f"    {name}: " in function.__doc__, (function, name)
    assert taking >= 30


@pytest.mark.parametrize("wrong", [
    lambda m: m.keyframe("far"), lambda m: m.keyframe("a", joints={"rial": 1}), lambda m: m.keyframe("a", joints={"rail": "x"}),
    lambda m: m.keyframe("a", joints={("rail", 7): 1}) and m.simulate(), lambda m: m.keyframe("a", joints={"rail": (1, 2, 3)}),
    lambda m: m.keyframe("a", bodies={"box": {"att": (0, 0, 1)}}), lambda m: m.keyframe("a", bodies={"box": {"at": (0, 1)}}),
    lambda m: m.keyframe("a", bodies={"box": {"turn": (0, 0, 0, 1)}}), lambda m: m.keyframe("a", controls={"motor": 1}),
    lambda m: m.keyframe("a", inputs={"gust": 1}) and m.simulate(), lambda m: m.keyframe("a", start=1), lambda m: m.keyframe(3),
    lambda m: m.force("box", force=("t", 0)), lambda m: m.force("box", force="t"), lambda m: m.force("box", torque=(1, None, "t")),
    lambda m: m.force("box", force=("2*", 0, 0)) or m.simulate(), lambda m: m.signal("s", "k", constants={"k": "x"}),
    lambda m: m.signal("s", "k*x", constants={"k": 1}) and m.simulate(), lambda m: m.actuator("a", tendon={("rail", "x"): 1}),
    lambda m: m.hinge("box", None, at=(0, 0, 0), limit_stifness=1), lambda m: m.sensor("s", "distance", "box", shape="sides"),
    lambda m: m.actuator("a", "rail", kp="x", control="t"), lambda m: m.simulate(interrupt=3),
    lambda m: m.vary({"hinge.armature": "x"}), lambda m: m.simulate().reset("fra"), lambda m: m.simulate().reset(9),
    lambda m: m.simulate().set_friction("wood", "would", 1), lambda m: m.simulate().set_friction("wood", "wood", -1),
    lambda m: m.simulate().apply_impulse([1]), lambda m: m.simulate().apply_impulse(np.full(len(m.simulate().v), np.nan)),
    lambda m: m.simulate().site("tol"), lambda m: m.simulate().nearest("side", 10**6), lambda m: m.simulate().overlaps("x"),
    lambda m: m.simulate().motion_force("box"), lambda m: m.simulate().actuator_power(99),
])
def test_misuse(wrong):
    m = everything()
    signals = m.signals
    with pytest.raises((TypeError, ValueError, KeyError, IndexError)) as raised:
        wrong(m)
    assert str(raised.value)
    assert set(m.signals) - set(signals) <= {"s", "force-1 force x"}  # nothing is left of what was refused


def test_uses():
    """What simulations of them can do."""
    sim = everything().simulate(h=1e-3)
    sim.step(5)
    assert sim.friction("wood", "default") == pytest.approx(0.1)
    sim.set_friction("wood", "default", 0.7)
    assert sim.friction("default", "wood") == 0.7
    assert sim.site("tool")[0] == pytest.approx(sim.body("box").position + [np.cos(2), np.sin(2), 0], abs=0.02)
    near = sim.nearest("side", "field")
    assert near.distance == pytest.approx(np.linalg.norm(near.point_a - near.point_b))
    assert sim.overlaps("side") == []
    assert sim.actuator_length("pull") == pytest.approx(np.linalg.norm(sim.site("tool")[0] - sim.site("end")[0]))
    assert np.isfinite([sim.actuator_power("servo"), sim.motor_force("hinge"), *sim.motion_force("ball-10")[0]]).all()
    sim.time_stages()
    sim.shortest_forces()
    sim.step()
    assert sim.stage_times["solve"] > 0
    assert sim.verdict.check["solved"].holds and "certified" in sim.verdict.as_dict()
    sim.reset("first")
    assert sim.t == 0 and sim.joint("rail").coordinate == 0


def test_impulses():
    m = perp.Model(gravity=(0, 0, 0))
    m.body(perp.Sphere(0.5), mass=2, name="ball")
    sim = m.simulate()
    sim.apply_impulse([6, 0, 0, 0, 0, 0])
    assert sim.body("ball").velocity == pytest.approx([3, 0, 0])


def test_verdict_tells_the_remedy():
    m = perp.Model(gravity=(0, 0, 0))
    m.body(perp.Sphere(0.1), mass=1, at=(1, 0, 0), free="point", name="ball")
    m.spring(None, "ball", stiffness=1e4, at=(0, 0, 0), to=(1, 0, 0))
    sim = m.simulate(h=0.1)
    sim.step(50)
    verdict = sim.verdict
    assert not verdict.certified and not verdict.check["energy-balance"].holds
    assert any("try steps of" in each for each in verdict.remedies)


def test_a_tolerance_means_both_laws():
    assert settings_to_c({"tolerance": 1e-8}, []).held_tolerance == 1e-8
    assert settings_to_c({"tolerance": 1e-8, "held_tolerance": 1e-3}, []).held_tolerance == 1e-3
    assert settings_to_c({}, []).held_tolerance < 0  # C's default: 1e-3 at 1e-8
