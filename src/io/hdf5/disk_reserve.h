// Disk space reserved ahead of the writes.
#ifndef PERP_IO_HDF5_DISK_RESERVE_H
#define PERP_IO_HDF5_DISK_RESERVE_H

#include <stdbool.h>
#include <stddef.h>

// What stands on the disk for the file, ahead of what is in it.
typedef struct PerpDiskRoom {
    int descriptor; // of the file, -1: none
    size_t end;     // bytes: up to here the disk has room for sure
} PerpDiskRoom;

bool perp_disk_room_open(PerpDiskRoom *room, const char *path);
// Keeps others from writing to the file; false if another does already.
bool perp_disk_room_lock(PerpDiskRoom *room);
void perp_disk_room_close(PerpDiskRoom *room);
void perp_disk_room_give_back(PerpDiskRoom *room, size_t end); // what lies behind `end`
// Sees to it that the file can grow to `end` bytes. False if it cannot.
bool perp_disk_room_reach(PerpDiskRoom *room, size_t end);

#endif
