#ifndef CRAWPG_H
#define CRAWPG_H
#include <stdint.h>
#include "bench_rows.h"

/* The physical limit beside a PostgreSQL server: libpq from C, prepared statements, binary formats, no abstraction.
   Every function returns a checksum or a count, and aborts on an error of the server. */
typedef struct crawpg crawpg;
crawpg *crawpg_open(const char *url, const char *table);
void crawpg_close(crawpg *);

/* One transaction each, keys from 1 on: by COPY, or by INSERT of whole columns as arrays. */
void crawpg_copy(crawpg *, const bench_row *rows, int64_t n);
void crawpg_copy_after(crawpg *, const bench_row *rows, int64_t from, int64_t n);   /* keys from `from + 1` on */
void crawpg_arrays(crawpg *, const bench_row *rows, int64_t n);
void crawpg_clear(crawpg *);
int64_t crawpg_fetch_all(crawpg *);
int64_t crawpg_point(crawpg *, const char *const *ids, int64_t n);
int64_t crawpg_page(crawpg *, const char *const *conversations, int64_t n, int64_t limit);

/* One of many clients. The table TABLE_history keeps what changed. */
void crawpg_client_begin(crawpg *);
void crawpg_client_raise(crawpg *, const char *id);     /* fetch, retryCount + 1 and a row of history */
#endif
