"""perp-bench-python: what Python costs, and batches beside mujoco.rollout.

Examples:
  perp bench python              one step from Python and from C, contacts, cart-poles, quadrupeds
  perp bench python --quick      fewer simulations
  perp bench python --json       one JSON object

Batches: the same robots (perp.robots) as MJCF, the same controls, step length, numbers of steps and threads, in turns
in one process; figures are medians over the rounds, and ratios of wall time and of CPU time, which other programs on the
machine disturb less. mujoco is that of PyPI, tools/setup bench installs it.
"""

import argparse
import json
import os
import statistics
import sys
import time

import numpy as np
import perp
from perp import robots

CART_POLE = """
<mujoco><option timestep="{h}"/><worldbody>
  <body name="cart"><joint name="rail" type="slide" axis="1 0 0"/>
    <geom type="box" size="0.15 0.1 0.05" mass="1" contype="0" conaffinity="0"/>
    <body name="pole"><joint name="pin" type="hinge" axis="0 1 0"/>
      <geom type="capsule" size="0.02" fromto="0 0 0 0 0 1" mass="0.1" contype="0" conaffinity="0"/></body></body>
</worldbody><actuator><motor joint="rail" ctrllimited="true" ctrlrange="-10 10"/></actuator></mujoco>"""


def quadruped_mjcf(h):
    legs, servos = "", ""
    for name, x, y in (("fl", 0.17, 0.13), ("fr", 0.17, -0.13), ("hl", -0.17, 0.13), ("hr", -0.17, -0.13)):
        legs += f"""
    <body pos="{x} {y} 0"><joint name="{name}h" axis="0 1 0" limited="true" range="-1.2 1.2"/>
      <geom type="capsule" size="0.025" fromto="0 0 -0.01 0 0 -0.19" mass="0.5" contype="2" conaffinity="1"/>
      <body pos="0 0 -0.2"><joint name="{name}k" axis="0 1 0" limited="true" range="-1.5 1.5"/>
        <geom type="capsule" size="0.02" fromto="0 0 -0.02 0 0 -0.18" mass="0.18" contype="2" conaffinity="1"/>
        <geom type="sphere" size="0.03" pos="0 0 -0.2" mass="0.12" contype="2" conaffinity="1"/></body></body>"""
        for joint in "hk":
            servos += f'<position joint="{name}{joint}" kp="60" kv="2" ctrllimited="true" ctrlrange="-1 1" ' \
                      'forcelimited="true" forcerange="-30 30"/>'
    return f"""
<mujoco><compiler angle="radian"/><option timestep="{h}" integrator="implicitfast" cone="elliptic"/>
<default><geom friction="0.9 0 0"/></default><worldbody>
  <geom type="plane" size="0 0 1"/>
  <body name="torso" pos="0 0 0.45"><freejoint/><geom type="box" size="0.2 0.1 0.05" mass="8"/>{legs}</body>
</worldbody><actuator>{servos}</actuator></mujoco>"""


def controls_of(kind, n, rows):
    """Smooth and different for each simulation, and the same for both engines."""
    phase = np.linspace(0, 2 * np.pi, n)[:, None, None]
    t = np.linspace(0, 6, rows)[None, :, None]
    actuators = {"cart-pole": 1, "quadruped": 8}[kind]
    which = np.arange(actuators)[None, None, :]
    size = {"cart-pole": 2.0, "quadruped": 0.25}[kind]
    return size * np.sin(4 * t + phase + which * 0.8)


def perp_contest(kind, n, steps, h, threads):
    model = {"cart-pole": robots.cart_pole, "quadruped": robots.quadruped}[kind]()
    batch = perp.Batch(model, n, threads=threads, h=h)
    controls = controls_of(kind, n, steps)

    def run():
        batch.reset()
        return batch.rollout(steps, controls=controls, arrays=["t", "q", "v", "sensors"])  # as mujoco.rollout gives

    return run


def mujoco_contest(kind, n, steps, h, threads):
    import mujoco
    import mujoco.rollout

    model = mujoco.MjModel.from_xml_string({"cart-pole": CART_POLE.format(h=h), "quadruped": quadruped_mjcf(h)}[kind])
    data = [mujoco.MjData(model) for _ in range(threads)]
    state = np.zeros(mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS))
    mujoco.mj_getState(model, data[0], state, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    states, controls = np.tile(state, (n, 1)), controls_of(kind, n, steps)
    return lambda: mujoco.rollout.rollout([model] * n, data, states, controls)


def seconds(run):
    """Wall and CPU time; the latter of all threads."""
    wall, cpu = time.perf_counter(), time.process_time()
    run()
    return time.perf_counter() - wall, time.process_time() - cpu


def batch(kind, n, steps, h, threads, rounds):
    """Simulated steps a second of both, in turns."""
    contests = {"perp": perp_contest(kind, n, steps, h, threads)}
    try:
        contests["mujoco"] = mujoco_contest(kind, n, steps, h, threads)
    except ImportError:
        print("mujoco is not installed; tools/setup bench installs it", file=sys.stderr)
    found = {name: [] for name in contests}
    for _ in range(rounds + 1):
        for name, run in contests.items():
            found[name].append([n * steps / each for each in seconds(run)])
    rates, of_cpu = ({name: statistics.median(each[clock] for each in values[1:]) for name, values in found.items()}
                     for clock in (0, 1))
    made = {"name": kind, "simulations": n, "steps": steps, "h": h, "threads": threads, "steps_per_second": rates,
            "steps_per_cpu_second": of_cpu}
    if "mujoco" in rates:
        made["ratio"] = rates["perp"] / rates["mujoco"]
        made["cpu_ratio"] = of_cpu["perp"] / of_cpu["mujoco"]
    return made


def best(run, count, rounds=7):
    """Seconds of CPU of one call: the least of some rounds."""
    def once():
        start = time.process_time()
        for _ in range(count):
            run()
        return (time.process_time() - start) / count
    return min(once() for _ in range(rounds))


def overhead():
    m = perp.Model()
    m.world(perp.Plane())
    m.body(perp.Box(1, 1, 1), at=(0, 0, 0.5))
    sim, count = m.simulate(), 20000
    sim.step(100)
    python, c = best(sim.step, count), best(lambda: sim.step(count), 1) / count
    pile = perp.Model()
    pile.world(perp.Plane())
    for k in range(250):
        pile.body(perp.Box(1, 1, 1), at=(2 * k, 0, 0.5))
    many = pile.simulate()
    many.step(3)
    return {"step_from_python": python, "step_from_c": c, "above": python - c, "contacts": len(many.contacts),
            "reading_contacts": best(lambda: many.contacts, 1000)}


def main():
    parser = argparse.ArgumentParser(prog="perp bench python", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.add_argument("--quick", action="store_true", help="fewer simulations")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)), help="of both, default one a core")
    given = parser.parse_args()
    part, rounds = (10, 2) if given.quick else (1, 5)
    cost = overhead()
    batches = [batch("cart-pole", 1000 // part, 100, 0.01, given.threads, rounds),
               batch("quadruped", max(256 // part, 8), 50, 0.005, given.threads, rounds)]
    if given.json:
        print(json.dumps({"overhead": cost, "batches": batches}, indent=2))
        return
    print("one resting box: a step takes {:.2f} us from Python, {:.2f} us in C: {:+.2f} us".format(
        *(1e6 * cost[name] for name in ("step_from_python", "step_from_c", "above"))))
    print(f"sim.contacts of {cost['contacts']} contacts: {1e6 * cost['reading_contacts']:.1f} us\n")
    print(f"{'steps a second, all simulations':34} {'perp':>10} {'mujoco':>10} {'perp/mujoco':>12} {'of CPU':>8}")
    for each in batches:
        rates = each["steps_per_second"]
        text = f"{each['simulations']} {each['name']}s, {each['threads']} threads"
        print(f"{text:34} {rates['perp']:10.0f} {rates.get('mujoco', float('nan')):10.0f} "
              f"{each.get('ratio', float('nan')):12.3f} {each.get('cpu_ratio', float('nan')):8.3f}")


if __name__ == "__main__":
    main()
