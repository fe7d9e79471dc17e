// Disk space reserved ahead of the writes: a full file system is noticed when a run can still end
// in order, not in the middle of a write.
#define _POSIX_C_SOURCE 200809L

#include "io/hdf5/disk_reserve.h"

#include <fcntl.h>
#include <unistd.h>

enum { STEP = 2 << 20 }; // bytes taken at a time, if there are as many

bool perp_disk_room_open(PerpDiskRoom *room, const char *path)
{
    *room = (PerpDiskRoom){.descriptor = open(path, O_WRONLY | O_CLOEXEC)};
    return room->descriptor >= 0;
}

bool perp_disk_room_lock(PerpDiskRoom *room)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    return fcntl(room->descriptor, F_SETLK, &whole) == 0;
}

void perp_disk_room_close(PerpDiskRoom *room)
{
    if (room->descriptor >= 0)
        close(room->descriptor);
    room->descriptor = -1;
}

void perp_disk_room_give_back(PerpDiskRoom *room, size_t end)
{
    if (room->end > end && ftruncate(room->descriptor, (off_t)end) == 0)
        room->end = end;
}

static bool take(PerpDiskRoom *room, size_t end)
{
    if (posix_fallocate(room->descriptor, (off_t)room->end, (off_t)(end - room->end)) != 0)
        return false;
    room->end = end;
    return true;
}

bool perp_disk_room_reach(PerpDiskRoom *room, size_t end)
{
    return end <= room->end || take(room, end + STEP) || take(room, end);
}
