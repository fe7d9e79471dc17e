"""HDF5 may be used by one thread of the process at a time."""

import threading

files = threading.RLock()
