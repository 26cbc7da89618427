#include "crawpg.h"
#include <arpa/inet.h>
#include <libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS 13
static const char *const names[COLUMNS] = {
    "_pk", "id", "conversationID", "senderID", "text", "createdAt", "updatedAt", "status", "syncStatus",
    "retryCount", "category", "categoryConfidence", "unreadFlag"};
enum { T_BIGINT = 20, T_TEXT = 25, T_FLOAT8 = 701 };
static const Oid types[COLUMNS] = {
    T_BIGINT, T_TEXT, T_TEXT, T_TEXT, T_TEXT, T_FLOAT8, T_FLOAT8, T_TEXT, T_TEXT, T_BIGINT, T_TEXT, T_FLOAT8, T_BIGINT};

struct crawpg { PGconn *connection; char table[128], list[512]; };

/* A fetched object. Strings live in an arena. */
typedef struct {
    const char *id, *conversation, *sender, *text, *category;
    int32_t id_len, conversation_len, sender_len, text_len, category_len;
    int32_t status, sync, retry, has_confidence, unread;
    double created_at, updated_at, confidence;
} message;
typedef struct block { struct block *next; size_t used, size; char bytes[]; } block;

static const double epoch = 978307200; /* dates are seconds since 2001 */

static void fail(crawpg *b, const char *what) {
    fprintf(stderr, "raw libpq: %s: %s\n", what, PQerrorMessage(b->connection));
    abort();
}
static void check(crawpg *b, PGresult *r, const char *what) {
    ExecStatusType s = PQresultStatus(r);
    if (s != PGRES_COMMAND_OK && s != PGRES_TUPLES_OK && s != PGRES_COPY_IN) fail(b, what);
}
static void exec(crawpg *b, const char *sql) {
    PGresult *r = PQexec(b->connection, sql);
    check(b, r, sql);
    PQclear(r);
}

crawpg *crawpg_open(const char *url, const char *table) {
    crawpg *b = calloc(1, sizeof *b);
    b->connection = PQconnectdb(url);
    if (PQstatus(b->connection) != CONNECTION_OK) fail(b, "connect");
    snprintf(b->table, sizeof b->table, "%s", table);
    for (int c = 0; c < COLUMNS; c++) {
        strcat(b->list, c ? ", \"" : "\"");
        strcat(b->list, names[c]);
        strcat(b->list, "\"");
    }
    char sql[2048];
    snprintf(sql, sizeof sql, "SELECT %s FROM %s ORDER BY \"_pk\"", b->list, table);
    PGresult *r = PQprepare(b->connection, "all", sql, 0, NULL);
    check(b, r, sql);
    PQclear(r);
    Oid text[2] = {T_TEXT, T_BIGINT};
    snprintf(sql, sizeof sql, "SELECT %s FROM %s WHERE \"id\" = $1", b->list, table);
    check(b, r = PQprepare(b->connection, "point", sql, 1, text), sql);
    PQclear(r);
    snprintf(sql, sizeof sql, "SELECT %s FROM %s WHERE \"conversationID\" = $1 ORDER BY \"createdAt\" DESC NULLS LAST, \"_pk\" LIMIT $2",
             b->list, table);
    check(b, r = PQprepare(b->connection, "page", sql, 2, text), sql);
    PQclear(r);
    int at = snprintf(sql, sizeof sql, "INSERT INTO %s (%s) SELECT * FROM unnest(", b->table, b->list);
    for (int c = 0; c < COLUMNS; c++)
        at += snprintf(sql + at, sizeof sql - (size_t)at, "%s$%d::%s[]", c ? ", " : "", c + 1,
                       types[c] == T_BIGINT ? "bigint" : types[c] == T_TEXT ? "text" : "float8");
    snprintf(sql + at, sizeof sql - (size_t)at, ")");
    Oid arrays[COLUMNS];
    for (int c = 0; c < COLUMNS; c++) arrays[c] = types[c] == T_BIGINT ? 1016 : types[c] == T_TEXT ? 1009 : 1022;
    r = PQprepare(b->connection, "arrays", sql, COLUMNS, arrays);
    check(b, r, sql);
    PQclear(r);
    return b;
}
void crawpg_close(crawpg *b) { PQfinish(b->connection); free(b); }
void crawpg_clear(crawpg *b) {
    char sql[256];
    snprintf(sql, sizeof sql, "TRUNCATE %s", b->table);
    exec(b, sql);
}

/* ---- writing ---- */

typedef struct { char *bytes; size_t used, size; } buffer;
static char *room(buffer *o, size_t n) {
    if (o->used + n > o->size) {
        o->size = (o->used + n) * 2;
        o->bytes = realloc(o->bytes, o->size);
    }
    char *p = o->bytes + o->used;
    o->used += n;
    return p;
}
static void put16(buffer *o, int v) { uint16_t w = htons((uint16_t)v); memcpy(room(o, 2), &w, 2); }
static void put32(buffer *o, int64_t v) { uint32_t w = htonl((uint32_t)v); memcpy(room(o, 4), &w, 4); }
static void put64(buffer *o, uint64_t v) { put32(o, (int64_t)(v >> 32)); put32(o, (int64_t)(v & 0xffffffff)); }
static void integer(buffer *o, int64_t v) { put32(o, 8); put64(o, (uint64_t)v); }
static void real(buffer *o, double v) { uint64_t w; memcpy(&w, &v, 8); put32(o, 8); put64(o, w); }
static void text(buffer *o, const char *s, size_t n) { put32(o, (int64_t)n); memcpy(room(o, n), s, n); }
static void none(buffer *o) { put32(o, -1); }

static void cell(buffer *o, const bench_row *r, int64_t key, int column) {
    switch (column) {
    case 0: integer(o, key); break;
    case 1: text(o, r->id, 36); break;
    case 2: text(o, r->conversation, 36); break;
    case 3: text(o, r->sender, 9); break;
    case 4: text(o, r->text, (size_t)r->text_len); break;
    case 5: real(o, r->created_at - epoch); break;
    case 6: real(o, r->updated_at - epoch); break;
    case 7: text(o, bench_status_name(r->status), strlen(bench_status_name(r->status))); break;
    case 8: text(o, bench_sync_name(r->sync), strlen(bench_sync_name(r->sync))); break;
    case 9: integer(o, r->retry); break;
    case 10: if (r->category) text(o, r->category, strlen(r->category)); else none(o); break;
    case 11: if (r->has_confidence) real(o, r->confidence); else none(o); break;
    case 12: integer(o, r->unread); break;
    }
}

void crawpg_copy(crawpg *b, const bench_row *rows, int64_t n) { crawpg_copy_after(b, rows, 0, n); }

void crawpg_copy_after(crawpg *b, const bench_row *rows, int64_t from, int64_t n) {
    char sql[1024];
    snprintf(sql, sizeof sql, "COPY %s (%s) FROM STDIN (FORMAT binary)", b->table, b->list);
    exec(b, "BEGIN");
    exec(b, sql);
    buffer o = {0};
    memcpy(room(&o, 11), "PGCOPY\n\377\r\n\0", 11);
    put32(&o, 0);
    put32(&o, 0);
    for (int64_t k = 0; k < n; k++) {
        put16(&o, COLUMNS);
        for (int c = 0; c < COLUMNS; c++) cell(&o, rows + k, from + k + 1, c);
        if (o.used > 65536) {
            if (PQputCopyData(b->connection, o.bytes, (int)o.used) != 1) fail(b, "copy");
            o.used = 0;
        }
    }
    put16(&o, -1);
    if (PQputCopyData(b->connection, o.bytes, (int)o.used) != 1) fail(b, "copy");
    if (PQputCopyEnd(b->connection, NULL) != 1) fail(b, "copy");
    PGresult *r;
    while ((r = PQgetResult(b->connection))) { check(b, r, "copy"); PQclear(r); }
    free(o.bytes);
    exec(b, "COMMIT");
}

void crawpg_arrays(crawpg *b, const bench_row *rows, int64_t n) {
    exec(b, "BEGIN");
    PGresult *r;
    for (int64_t start = 0; start < n; start += 5000) {
        int64_t count = n - start < 5000 ? n - start : 5000;
        buffer o[COLUMNS] = {{0}};
        const char *values[COLUMNS];
        int lengths[COLUMNS], formats[COLUMNS];
        for (int c = 0; c < COLUMNS; c++) {
            put32(o + c, 1); put32(o + c, 1); put32(o + c, types[c]); put32(o + c, count); put32(o + c, 1);
            for (int64_t k = start; k < start + count; k++) cell(o + c, rows + k, k + 1, c);
            values[c] = o[c].bytes; lengths[c] = (int)o[c].used; formats[c] = 1;
        }
        check(b, r = PQexecPrepared(b->connection, "arrays", COLUMNS, values, lengths, formats, 1), "arrays");
        PQclear(r);
        for (int c = 0; c < COLUMNS; c++) free(o[c].bytes);
    }
    exec(b, "COMMIT");
}

/* ---- reading ---- */

static char *keep(block **arena, const void *bytes, size_t n) {
    block *k = *arena;
    if (!k || k->size - k->used < n) {
        size_t size = 1 << 20;
        k = malloc(sizeof(block) + size);
        k->next = *arena; k->used = 0; k->size = size;
        *arena = k;
    }
    char *p = k->bytes + k->used;
    memcpy(p, bytes, n);
    k->used += n;
    return p;
}
static void drop(block *k) { while (k) { block *n = k->next; free(k); k = n; } }

static int64_t get64(const PGresult *r, int row, int column) {
    uint32_t w[2];
    memcpy(w, PQgetvalue(r, row, column), 8);
    return (int64_t)((uint64_t)ntohl(w[0]) << 32 | ntohl(w[1]));
}
static double get_real(const PGresult *r, int row, int column) {
    int64_t w = get64(r, row, column);
    double v;
    memcpy(&v, &w, 8);
    return v;
}
static int32_t status_of(const char *s) {
    switch (s[0]) { case 'd': return 2; case 'r': return 3; default: return s[3] == 'd' ? 0 : 1; }
}
static int32_t sync_of(const char *s) {
    switch (s[0]) { case 'p': return 0; case 's': return 1; default: return 2; }
}

static void read_message(const PGresult *r, int row, message *m, block **arena) {
#define TEXT(i, f) do { m->f##_len = PQgetlength(r, row, i); \
        m->f = keep(arena, PQgetvalue(r, row, i), (size_t)m->f##_len); } while (0)
    TEXT(1, id); TEXT(2, conversation); TEXT(3, sender); TEXT(4, text);
    m->created_at = get_real(r, row, 5) + epoch;
    m->updated_at = get_real(r, row, 6) + epoch;
    m->status = status_of(PQgetvalue(r, row, 7));
    m->sync = sync_of(PQgetvalue(r, row, 8));
    m->retry = (int32_t)get64(r, row, 9);
    if (PQgetisnull(r, row, 10)) { m->category = NULL; m->category_len = 0; }
    else TEXT(10, category);
    m->has_confidence = !PQgetisnull(r, row, 11);
    m->confidence = m->has_confidence ? get_real(r, row, 11) : 0;
    m->unread = (int32_t)get64(r, row, 12);
#undef TEXT
}
static int64_t touch(const message *m) {
    return (int64_t)m->id_len + m->conversation_len + m->sender_len + m->text_len
        + (int64_t)m->created_at + (int64_t)m->updated_at + m->status + m->sync + m->retry
        + m->category_len + (int64_t)(m->confidence * 128) + m->unread;
}
static int64_t take(crawpg *b, PGresult *r) {
    check(b, r, "fetch");
    int n = PQntuples(r);
    message *all = malloc(sizeof(message) * (size_t)(n ? n : 1));
    block *arena = NULL;
    int64_t sum = 0;
    for (int k = 0; k < n; k++) { read_message(r, k, all + k, &arena); sum += touch(all + k); }
    drop(arena);
    free(all);
    PQclear(r);
    return sum;
}

int64_t crawpg_fetch_all(crawpg *b) { return take(b, PQexecPrepared(b->connection, "all", 0, NULL, NULL, NULL, 1)); }

int64_t crawpg_point(crawpg *b, const char *const *ids, int64_t n) {
    int64_t sum = 0;
    for (int64_t k = 0; k < n; k++) {
        int length = 36, format = 1;
        sum += take(b, PQexecPrepared(b->connection, "point", 1, ids + k, &length, &format, 1));
    }
    return sum;
}

int64_t crawpg_page(crawpg *b, const char *const *conversations, int64_t n, int64_t limit) {
    int64_t sum = 0;
    uint32_t count[2] = {0, htonl((uint32_t)limit)};
    for (int64_t k = 0; k < n; k++) {
        const char *values[2] = {conversations[k], (const char *)count};
        int lengths[2] = {36, 8}, formats[2] = {1, 1};
        sum += take(b, PQexecPrepared(b->connection, "page", 2, values, lengths, formats, 1));
    }
    return sum;
}

/* ---- one of many clients ---- */

void crawpg_client_begin(crawpg *b) {
    char sql[1024];
    PGresult *r;
    Oid changes[3] = {T_BIGINT, T_TEXT, T_TEXT};
    snprintf(sql, sizeof sql,
             "WITH changed AS (UPDATE %s SET \"retryCount\" = $1 WHERE \"id\" = $2 RETURNING 1) "
             "INSERT INTO %s_history (timestamp, author, program, process, changes) "
             "SELECT extract(epoch FROM clock_timestamp()), NULL, 'bench', '12345', $3 FROM changed", b->table, b->table);
    check(b, r = PQprepare(b->connection, "raise", sql, 3, changes), sql);
    PQclear(r);
}

void crawpg_client_raise(crawpg *b, const char *id) {
    int length = 36, format = 1;
    PGresult *r = PQexecPrepared(b->connection, "point", 1, &id, &length, &format, 1);
    check(b, r, "point");
    if (PQntuples(r) != 1) fail(b, "no row");
    block *arena = NULL;
    message m;
    read_message(r, 0, &m, &arena);
    drop(arena);
    PQclear(r);
    char text[160];
    int written = snprintf(text, sizeof text,
        "[{\"kind\":1,\"class\":\"Message\",\"properties\":[\"retryCount\"],\"keys\":[\"%.36s\"]}]", id);
    uint32_t retry[2] = {0, htonl((uint32_t)m.retry + 1)};
    const char *values[3] = {(const char *)retry, id, text};
    int lengths[3] = {8, 36, written}, formats[3] = {1, 1, 1};
    check(b, r = PQexecPrepared(b->connection, "raise", 3, values, lengths, formats, 1), "raise");
    if (strcmp(PQcmdTuples(r), "1")) fail(b, "no row raised");
    PQclear(r);
}
