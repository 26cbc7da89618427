#ifndef CRAW_OBJECTS_H
#define CRAW_OBJECTS_H
#include <stdint.h>

/* The physical limit of deletions: the objects of `bench objects` in tables made by hand.
   The cache has 16 MB, as that of our writer.
   Every function aborts on an SQLite error. */
typedef struct craw_objects craw_objects;

craw_objects *craw_objects_people(const char *path, int64_t count);
/* One school per 100 students, three grades each, with cascades as foreign keys. */
craw_objects *craw_objects_schools(const char *path, int64_t students);
/* One statement for each person, one transaction. */
void craw_objects_delete_people(craw_objects *, int64_t count);
/* One statement, with foreign keys that cascade. Returns the number of grades that are left. */
int64_t craw_objects_delete_schools(craw_objects *);
void craw_objects_close(craw_objects *);
#endif
