// The calls by which a program reaches its files, with faults put in: linked into an executable, these take the place of
// the C library's for everything in the process, SQLite and Foundation among them.
#ifndef FAULTY_FILES_H
#define FAULTY_FILES_H

#include <stdint.h>

// Kinds of calls, to be added up.
enum {
  faulty_open = 1,
  faulty_write = 2,
  faulty_sync = 4,
  faulty_truncate = 8,
  faulty_rename = 16,
  faulty_unlink = 32,
  faulty_read = 64,
  faulty_mkdir = 128,
};

// What a call may do instead of failing with an error of errno.
enum { faulty_kill_before = -1, faulty_kill_after = -2 };

// Only files below this folder are looked at. Nothing is, before it is called.
void faulty_watch(const char *folder);

// Writes each change of a file to a log from now on.
void faulty_record(const char *log);
// Puts a number into that log.
void faulty_note(int64_t number);

// Makes the call of these kinds after `skipped` others fail with `error`, and those after it too where it persists.
void faulty_arm(uint32_t kinds, int64_t skipped, int32_t error, int32_t persists);
// Ends that. Returns how many calls failed.
int64_t faulty_disarm(void);

// Moves the wall clock of the process by so many seconds.
void faulty_move_clock(double seconds);

#endif
