"""read_exports.py RECORDING STEM EVERY: reads what `perp convert` wrote (STEM.csv, .contacts.csv,
.npz, .pvd, .glb, .mcap) by the libraries of those who will use it, and compares with the recording read by h5py."""
import csv
import json
import struct
import sys
import xml.etree.ElementTree as xml

import h5py
import mcap.reader
import numpy as np
import vtk
from vtk.util.numpy_support import vtk_to_numpy

recording, stem, every = h5py.File(sys.argv[1], "r"), sys.argv[2], int(sys.argv[3])
time = recording["time"][::every]
pose = recording["pose"][::every]
velocity = recording["velocity"][::every]
bodies = [name.decode() for name in recording["bodies/name"]]
frames = range(0, len(recording["time"]), every)


def contacts_of(frame):
    start, count = recording["contacts/start"][frame], recording["contacts/count"][frame]
    return slice(start, start + count)


def check_csv():
    with open(stem + ".csv") as file:
        names = file.readline().strip().split(",")
        table = np.loadtxt(file, delimiter=",", ndmin=2)
    column = {name: table[:, k] for k, name in enumerate(names)}
    assert len(column) == table.shape[1] == len(names)
    assert np.array_equal(column["t"], time)
    assert np.array_equal(column["kinetic"], recording["energy/kinetic"][::every])
    assert np.array_equal(column["certificate"], recording["certificate/worst"][::every])
    for k, body in enumerate(bodies):
        for i, suffix in enumerate("x y z qw qx qy qz".split()):
            assert np.array_equal(column[f"{body}.{suffix}"], pose[:, k, i]), (body, suffix)
        for i, suffix in enumerate("vx vy vz wx wy wz".split()):
            assert np.array_equal(column[f"{body}.{suffix}"], velocity[:, k, i]), (body, suffix)
    joints = [name.decode() for name in recording["joints/name"]]
    for k, joint in enumerate(joints):
        assert np.array_equal(column[f"{joint}.q"], recording["coordinate"][::every, k, 0])


def check_contacts():
    chosen = np.concatenate([np.arange(contacts_of(f).start, contacts_of(f).stop) for f in frames])
    with open(stem + ".contacts.csv") as file:
        rows = list(csv.DictReader(file))
    table = recording["contacts"]
    assert len(rows) == len(chosen) > 0
    assert [int(row["id"]) for row in rows] == list(table["id"][:][chosen])
    for a, row in zip(table["body"][:][chosen], rows):
        assert [row["a"], row["b"]] == [bodies[k] if k >= 0 else "world" for k in a]
    words = ["open", "stick", "slip", "impact"]
    assert [words.index(row["status"]) for row in rows] == list(table["status"][:][chosen])
    for name, columns in {"point": "x y z", "normal": "nx ny nz", "velocity": "vx vy vz", "impulse": "jx jy jz"}.items():
        numbers = np.array([[float(row[column]) for column in columns.split()] for row in rows])
        assert np.array_equal(numbers, table[name][:][chosen]), name
    for name in "gap mu residual".split():
        assert np.array_equal([float(row[name]) for row in rows], table[name][:][chosen]), name
    assert {float(row["t"]) for row in rows} <= set(time)


def check_npz():
    archive = np.load(stem + ".npz")
    assert np.array_equal(archive["pose"], pose)
    assert np.array_equal(archive["velocity"], velocity)
    assert np.array_equal(archive["coordinate"], recording["coordinate"][::every])
    assert [name.decode() for name in archive["bodies"]] == bodies
    series = [n for n in archive.files if n.split("/")[0] in ("time", "energy", "certificate", "step")]
    assert len(series) > 30
    for name in series:
        assert np.array_equal(archive[name], recording[name][::every]), name
    chosen = np.concatenate([np.arange(contacts_of(f).start, contacts_of(f).stop) for f in frames])
    assert archive["contacts/start"][-1] == len(chosen) > 0
    for name in "id body point normal gap velocity impulse mu residual status".split():
        assert np.array_equal(archive["contacts/" + name], recording["contacts/" + name][:][chosen])


def read_polydata(path):
    reader = vtk.vtkXMLPolyDataReader()
    reader.SetFileName(path)
    reader.Update()
    assert reader.GetErrorCode() == 0, path
    return reader.GetOutput()


def check_vtk():
    sets = xml.parse(stem + ".pvd").getroot().findall("Collection/DataSet")
    folder = stem.rpartition("/")[0]
    path = lambda s: (folder + "/" if folder else "") + s.get("file")
    surfaces = [s for s in sets if s.get("name") == "bodies"]
    points = [s for s in sets if s.get("name") == "contacts"]
    assert [float(s.get("timestep")) for s in surfaces] == list(time)
    assert len(points) == len(surfaces)
    ball = bodies.index("ball")
    for k, frame in enumerate(frames):
        data = read_polydata(path(surfaces[k]))
        owner = vtk_to_numpy(data.GetCellData().GetArray("body"))
        corners = vtk_to_numpy(data.GetPolys().GetConnectivityArray()).reshape(-1, 3)
        assert set(owner) == set(range(-1, len(bodies)))
        xyz = vtk_to_numpy(data.GetPoints().GetData())
        of_ball = np.unique(corners[owner == ball])
        # a sphere: every vertex at the radius from the centre, and none outside the bounds
        distance = np.linalg.norm(xyz[of_ball] - pose[k, ball, :3], axis=1)
        assert np.allclose(distance, 0.1, atol=1e-6)
        speed = vtk_to_numpy(data.GetPointData().GetArray("velocity"))[of_ball]
        arm = xyz[of_ball] - pose[k, ball, :3]
        assert np.allclose(speed, velocity[k, ball, :3] + np.cross(velocity[k, ball, 3:], arm),
                           atol=1e-4)
        data = read_polydata(path(points[k]))
        here = contacts_of(frame)
        assert data.GetNumberOfPoints() == data.GetNumberOfVerts() == here.stop - here.start
        if here.stop > here.start:
            impulse = vtk_to_numpy(data.GetPointData().GetArray("impulse"))
            assert np.allclose(impulse, recording["contacts/impulse"][here], atol=1e-6)
            for name in ("residual", "status"):
                assert np.array_equal(vtk_to_numpy(data.GetPointData().GetArray(name)),
                                      recording["contacts/" + name][here])


def check_gltf():
    bytes_ = open(stem + ".glb", "rb").read()
    magic, version, length = struct.unpack_from("<4sII", bytes_)
    assert (magic, version, length) == (b"glTF", 2, len(bytes_))
    size, kind = struct.unpack_from("<I4s", bytes_, 12)
    scene = json.loads(bytes_[20:20 + size])
    data = bytes_[28 + size:]
    animation, nodes = scene["animations"][0], scene["nodes"]
    track = {}
    for channel in animation["channels"]:
        sampler = animation["samplers"][channel["sampler"]]
        accessor = scene["accessors"][sampler["output"]]
        view = scene["bufferViews"][accessor["bufferView"]]
        width = {"VEC3": 3, "VEC4": 4}[accessor["type"]]
        numbers = np.frombuffer(data, "<f4", accessor["count"] * width,
                                view["byteOffset"] + accessor["byteOffset"]).reshape(-1, width)
        track[nodes[channel["target"]["node"]]["name"], channel["target"]["path"]] = numbers
    for k, body in enumerate(bodies):
        if (body, "translation") not in track:
            assert np.all(pose[:, k] == pose[0, k]), body
            continue
        assert np.allclose(track[body, "translation"], pose[:, k, :3], atol=1e-6)
        turns = track[body, "rotation"][:, [3, 0, 1, 2]]
        assert np.allclose(np.abs(np.sum(turns * pose[:, k, 3:], axis=1)), 1, atol=1e-6)
        assert np.all(np.sum(turns[1:] * turns[:-1], axis=1) > 0) # never the long way
    assert len(track) >= 2 * 3


def check_mcap():
    with open(stem + ".mcap", "rb") as file:
        reader = mcap.reader.make_reader(file, validate_crcs=True)
        summary = reader.get_summary()
        assert {s.name for s in summary.schemas.values()} == {
            "foxglove.FrameTransforms", "foxglove.SceneUpdate", "perp.Step"}
        counts, last = {}, {}
        for schema, channel, message in reader.iter_messages():
            value = json.loads(message.data)
            assert all(key in value for key in json.loads(schema.data).get("required", []))
            counts[channel.topic] = counts.get(channel.topic, 0) + 1
            last[channel.topic] = value, message.log_time
        n = len(time)
        assert counts == {"/transforms": n, "/shapes": 1, "/contacts": n, "/step": n}
        assert summary.statistics.message_count == 3 * n + 1
        transforms, when = last["/transforms"]
        assert when == round(time[-1] * 1e9)
        for k, item in enumerate(transforms["transforms"]):
            assert (item["parent_frame_id"], item["child_frame_id"]) == ("world", bodies[k])
            assert np.allclose([item["translation"][c] for c in "xyz"], pose[-1, k, :3], atol=1e-8)
            assert np.allclose([item["rotation"][c] for c in "wxyz"], pose[-1, k, 3:], atol=1e-8)
        assert len(last["/shapes"][0]["entities"]) == len(recording["shapes/body"])
        impulse = recording["contacts/impulse"][contacts_of(frames[-1])]
        arrows = last["/contacts"][0]["entities"][0]["arrows"]
        assert len(arrows) == np.count_nonzero(np.linalg.norm(impulse, axis=1))
        kinetic = recording["energy/kinetic"][::every][-1]
        assert np.isclose(last["/step"][0]["energy"]["kinetic"], kinetic, rtol=1e-8)
        # the index leads to the middle without reading the beginning
        middle = round(time[n // 2] * 1e9)
        late = list(reader.iter_messages(topics=["/step"], starting_at=middle))
        assert len(late) == n - n // 2


check_csv()
check_contacts()
check_npz()
check_vtk()
check_gltf()
check_mcap()
