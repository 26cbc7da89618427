// Starts child processes that inherit nothing but their standard streams. Swift does not see these functions of the C library.

/// Makes a pipe whose ends no child inherits. Returns 0 or an error number.
int make_private_pipe(int ends[2]);

/// Starts a process in a process group of its own, with all signals as they are by default.
/// `streams` has the descriptors of its standard streams, and -1 for the null device. `directory` may be null.
/// Returns its number, or an error number below zero.
int spawn_process(const char *command, char *const arguments[], char *const environment[], const char *directory, const int streams[3]);
