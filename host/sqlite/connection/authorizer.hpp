#pragma once

#include <cstdint>

namespace tenon::data::sqlite {

/// The origin of the statement that is being prepared.
enum class Access : std::uint8_t {
  confined,   ///< a plugin's: reads and writes rows of its own tables
  migrating,  ///< a plugin's numbered migration: may change the schema too
  trusted,    ///< the host's own database
  internal,   ///< the room's: BEGIN, COMMIT, its pragmas, tables named tenon_…
};

/// The state that the callback of a connection reads and writes.
struct Watch {
  Access access = Access::internal;
  bool reads_search = false;  ///< set where what is prepared reads a search index of the host
};

/// The callback for sqlite3_set_authorizer; `context` is a `Watch*`, looked at in every call.
int authorize(void* context, int action, const char* first, const char* second,
              const char* database, const char* trigger) noexcept;

}  // namespace tenon::data::sqlite
