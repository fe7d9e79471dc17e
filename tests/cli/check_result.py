"""check_result.py PROBLEM RESULT: recomputes what `perp solve --json` claims, from the problem alone.

LCPs: w = M z + q, signs and complementarity, or the ray. Step problems: momentum and shapes."""
import json
import sys


def refuse_constant(name):
    raise ValueError(f"{name} is not JSON")


problem = json.load(open(sys.argv[1]))
result = json.load(open(sys.argv[2]), parse_constant=refuse_constant)


def dot(a, b):
    return sum(x * y for x, y in zip(a, b, strict=True))


def check_lcp():
    M, q, free = problem["M"], problem["q"], problem.get("free", 0)
    z, w = result["z"], result["w"]
    assert result["n"] == len(q) and result["free"] == free
    if result["status"] == "infeasible":
        dz = result["ray"]["dz"]
        assert dot(q, dz) < 0 and min(dz) >= 0
        assert all(dot([row[j] for row in M], dz) <= 1e-12 for j in range(len(q)))
        return
    assert result["status"] == "solved", result["status"]
    assert result["certificate"]["worst"] <= result["tolerance"]
    for i, row in enumerate(M):
        assert abs(w[i] - dot(row, z) - q[i]) < 1e-12
        if i < free:
            assert abs(w[i]) < 1e-9
        else:
            assert w[i] > -1e-9 and z[i] > -1e-9 and min(w[i], z[i]) < 1e-9


def check_step_problem():
    assert result["status"] == "solved", result["status"]
    assert len(result["v"]) == result["velocities"] == sum(len(b["b"]) for b in problem["bodies"])
    rows = sum(result[name] for name in ("joints", "boxes", "contacts", "directions"))
    assert len(result["c"]) == rows and len(result["lambda"]) == result["groups"]
    assert result["certificate"]["worst"] <= result["tolerance"]
    assert result["certificate"]["energy_excess"] <= 1e-12
    start, first = 0, {}
    for k, body in enumerate(problem["bodies"]):
        first[k] = start
        start += len(body["b"])
    contacts = result["joints"] + result["boxes"]
    for k, contact in enumerate(problem.get("contacts", [])):
        y = contact.get("d", 0)
        for body, n in zip(contact["on"], contact["n"], strict=True):
            y += dot(n, result["v"][first[body]:first[body] + len(n)])
        c = result["c"][contacts + k]
        assert y > -1e-9 and c > -1e-9 and min(y, c) < 1e-9


check_lcp() if result["kind"] == "lcp" else check_step_problem()
