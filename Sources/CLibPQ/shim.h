#include <libpq-fe.h>

#ifndef LIBPQ_HAS_PIPELINING
#error "SwiftDataPostgres needs the headers of libpq 14 or later (Debian: libpq-dev)"
#endif
