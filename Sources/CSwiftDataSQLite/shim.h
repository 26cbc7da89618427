#include <sqlite3.h>

// sqlite3_db_config has a variable number of arguments, so Swift cannot call it.

/// Enforces foreign keys, and takes "text" in double quotes for the name of a column only, never for a string.
static inline void swiftdata_sqlite_be_strict(sqlite3 *connection) {
  sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_FKEY, 1, (int *)0);
  sqlite3_db_config(connection, SQLITE_DBCONFIG_DQS_DDL, 0, (int *)0);
  sqlite3_db_config(connection, SQLITE_DBCONFIG_DQS_DML, 0, (int *)0);
}
