#include "craw_objects.h"
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

static sqlite3 *open_at(const char *path) {
    sqlite3 *db = 0;
    if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, 0)) abort();
    return db;
}
static void check(sqlite3 *db, int code, const char *what) {
    if (code == SQLITE_OK || code == SQLITE_DONE) return;
    fprintf(stderr, "raw C: %s: %s\n", what, sqlite3_errmsg(db));
    abort();
}
static void exec(sqlite3 *db, const char *sql) { check(db, sqlite3_exec(db, sql, 0, 0, 0), sql); }
static sqlite3_stmt *prepare(sqlite3 *db, const char *sql) {
    sqlite3_stmt *s = 0;
    check(db, sqlite3_prepare_v2(db, sql, -1, &s, 0), sql);
    return s;
}
static void run(sqlite3 *db, sqlite3_stmt *s) {
    check(db, sqlite3_step(s), "step");
    sqlite3_reset(s);
}

/* Sixteen bytes like a random UUID's: they go to random places of their index. */
static void identify(sqlite3_stmt *s, int column) {
    static uint64_t state = 0x9e3779b97f4a7c15;
    uint64_t words[2];
    for (int i = 0; i < 2; i++) {
        state += 0x9e3779b97f4a7c15;
        uint64_t z = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9;
        words[i] = z ^ (z >> 27);
    }
    sqlite3_bind_blob(s, column, words, 16, SQLITE_TRANSIENT);
}

static const char *first_names[] = {"Jane", "John", "Ida", "Omar"};

static void bind_person(sqlite3_stmt *s, int column, int64_t number) {
    char surname[32];
    snprintf(surname, sizeof surname, "Surname %lld", (long long)number);
    sqlite3_bind_text(s, column, first_names[number % 4], -1, SQLITE_STATIC);
    sqlite3_bind_text(s, column + 1, surname, -1, SQLITE_TRANSIENT);
    sqlite3_bind_int64(s, column + 2, number % 100);
}

craw_objects *craw_objects_people(const char *path, int64_t count) {
    sqlite3 *db = open_at(path);
    exec(db, "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA cache_size=-16000; BEGIN;"
             "CREATE TABLE person (key INTEGER PRIMARY KEY, firstName TEXT, surname TEXT, age INTEGER)");
    sqlite3_stmt *s = prepare(db, "INSERT INTO person VALUES (?,?,?,?)");
    for (int64_t number = 0; number < count; number++) {
        sqlite3_bind_int64(s, 1, number + 1);
        bind_person(s, 2, number);
        run(db, s);
    }
    sqlite3_finalize(s);
    exec(db, "COMMIT");
    return (craw_objects *)db;
}

craw_objects *craw_objects_schools(const char *path, int64_t students) {
    sqlite3 *db = open_at(path);
    exec(db, "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA cache_size=-16000; PRAGMA foreign_keys=ON; BEGIN;"
             "CREATE TABLE school (key INTEGER PRIMARY KEY, id BLOB UNIQUE, name TEXT);"
             "CREATE TABLE student (key INTEGER PRIMARY KEY, id BLOB UNIQUE, firstName TEXT, surname TEXT, age INTEGER,"
             " school INTEGER REFERENCES school ON DELETE CASCADE);"
             "CREATE INDEX student_school ON student (school);"
             "CREATE TABLE grade (key INTEGER PRIMARY KEY, id BLOB UNIQUE, subject TEXT, mark INTEGER,"
             " student INTEGER REFERENCES student ON DELETE CASCADE);"
             "CREATE INDEX grade_student ON grade (student)");
    int64_t schools = students / 100 > 0 ? students / 100 : 1;
    sqlite3_stmt *school = prepare(db, "INSERT INTO school VALUES (?,?,?)");
    for (int64_t number = 0; number < schools; number++) {
        char name[32];
        snprintf(name, sizeof name, "School %lld", (long long)number);
        sqlite3_bind_int64(school, 1, number + 1);
        identify(school, 2);
        sqlite3_bind_text(school, 3, name, -1, SQLITE_TRANSIENT);
        run(db, school);
    }
    sqlite3_finalize(school);
    static const char *subjects[] = {"mathematics", "science", "history"};
    sqlite3_stmt *student = prepare(db, "INSERT INTO student VALUES (?,?,?,?,?,?)");
    sqlite3_stmt *grade = prepare(db, "INSERT INTO grade VALUES (?,?,?,?,?)");
    for (int64_t number = 0; number < students; number++) {
        sqlite3_bind_int64(student, 1, number + 1);
        identify(student, 2);
        bind_person(student, 3, number);
        sqlite3_bind_int64(student, 6, number % schools + 1);
        run(db, student);
        for (int subject = 0; subject < 3; subject++) {
            sqlite3_bind_int64(grade, 1, number * 3 + subject + 1);
            identify(grade, 2);
            sqlite3_bind_text(grade, 3, subjects[subject], -1, SQLITE_STATIC);
            sqlite3_bind_int64(grade, 4, number % 6);
            sqlite3_bind_int64(grade, 5, number + 1);
            run(db, grade);
        }
    }
    sqlite3_finalize(student);
    sqlite3_finalize(grade);
    exec(db, "COMMIT");
    return (craw_objects *)db;
}

void craw_objects_delete_people(craw_objects *objects, int64_t count) {
    sqlite3 *db = (sqlite3 *)objects;
    exec(db, "BEGIN IMMEDIATE");
    sqlite3_stmt *s = prepare(db, "DELETE FROM person WHERE key = ?");
    for (int64_t number = 0; number < count; number++) {
        sqlite3_bind_int64(s, 1, number + 1);
        run(db, s);
    }
    sqlite3_finalize(s);
    exec(db, "COMMIT");
}

int64_t craw_objects_delete_schools(craw_objects *objects) {
    sqlite3 *db = (sqlite3 *)objects;
    exec(db, "BEGIN IMMEDIATE; DELETE FROM school; COMMIT");
    sqlite3_stmt *s = prepare(db, "SELECT count(*) FROM grade");
    if (sqlite3_step(s) != SQLITE_ROW) abort();
    int64_t left = sqlite3_column_int64(s, 0);
    sqlite3_finalize(s);
    return left;
}

void craw_objects_close(craw_objects *objects) { sqlite3_close((sqlite3 *)objects); }
