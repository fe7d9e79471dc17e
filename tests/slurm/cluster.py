"""A Slurm cluster of two nodes on this machine, in a folder of its own: munged, slurmctld, two slurmd."""
import getpass
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import time

NEEDED = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scontrol")
PATH = os.environ["PATH"] + ":/usr/sbin:/sbin"

CONFIGURATION = """
ClusterName=perp
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool.%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/builtin
SchedulerParameters=sched_interval=1,batch_sched_delay=0,sched_min_interval=0
MpiDefault=none
SwitchType=switch/none
ReturnToService=2
SlurmdTimeout=5
SlurmctldTimeout=5
InactiveLimit=0
KillWait=1
MinJobAge=30
OverTimeLimit=0
MaxArraySize=1001
NodeName=n1 NodeAddr=127.0.0.1 NodeHostName={host} Port={first} CPUs=1 State=UNKNOWN
NodeName=n2 NodeAddr=127.0.0.1 NodeHostName={host} Port={second} CPUs=1 State=UNKNOWN
PartitionName=all Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
"""


def is_installed():
    return all(shutil.which(name, path=PATH) for name in NEEDED)


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for s in sockets:
        s.bind(("127.0.0.1", 0))
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


class Cluster:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.processes = {}
        self.environment = {**os.environ, "PATH": PATH, "PERP_CLUSTER": str(self.folder),
                            "SLURM_CONF": str(self.folder / "slurm.conf")}
        port, first, second = free_ports(3)
        for name in ("state", "spool.n1", "spool.n2"):
            (self.folder / name).mkdir(parents=True)
        (self.folder / "munge.key").write_bytes(os.urandom(1024))
        (self.folder / "munge.key").chmod(0o600)
        (self.folder / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\nCgroupAutomount=no\n")
        (self.folder / "slurm.conf").write_text(CONFIGURATION.format(
            host=socket.gethostname().split(".")[0], user=getpass.getuser(), folder=self.folder, port=port,
            first=first, second=second))

    def start_daemon(self, name, *command):
        log = open(self.folder / f"{name}.out", "ab")
        self.processes[name] = subprocess.Popen(command, env=self.environment, stdout=log, stderr=log,
                                                start_new_session=True)
        log.close()

    def start_node(self, name):
        self.start_daemon(name, "slurmd", "-D", "-N", name)

    def start(self):
        munge = self.folder / "munge"
        self.start_daemon("munged", "munged", "--foreground", "--force", f"--key-file={munge}.key",
                          f"--socket={munge}.socket", f"--pid-file={munge}.pid", f"--seed-file={munge}.seed",
                          f"--log-file={munge}.log")
        self.wait(lambda: (self.folder / "munge.socket").exists(), "munged")
        self.start_daemon("slurmctld", "slurmctld", "-D")
        self.start_node("n1")
        self.start_node("n2")
        self.wait(lambda: self.call("sinfo", "-h", "-N", "-o", "%t").split() == ["idle", "idle"], "nodes")

    def wait(self, condition, what, seconds=600):
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                raise RuntimeError(f"Slurm: {what} did not start; see {self.folder}")
            time.sleep(0.1)

    def call(self, *command):
        return subprocess.run(command, env=self.environment, capture_output=True, text=True).stdout

    def kill_node(self, name, with_jobs=True):
        """The daemon dies, and what runs on its node with it, as if the power failed, or goes on."""
        process = self.processes.pop(name)
        process.kill()
        process.wait()
        if not with_jobs:
            return
        for pid in self.pids(f"SLURMD_NODENAME={name}"):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def pids(self, variable):
        """Processes of this cluster's jobs that have a variable in their environment."""
        found = []
        for folder in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                environment = (folder / "environ").read_bytes().split(b"\0")
            except OSError:
                continue
            if {variable.encode(), f"PERP_CLUSTER={self.folder}".encode()} <= set(environment):
                found.append(int(folder.name))
        return found

    def stop(self):
        for name in ("n1", "n2", "slurmctld", "munged"):
            process = self.processes.pop(name, None)
            if process is None:
                continue
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
