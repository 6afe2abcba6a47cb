#include "postgresql/client/libpq.hpp"

#define BOOST_DLL_USE_STD_FS
#include <string>

#include <boost/dll/shared_library.hpp>

#include "data/sql_error.hpp"

namespace tenon::data::postgresql {

namespace {

constexpr const char* library_name = "libpq.so.5";

[[noreturn]] void refuse(const std::string& what, const std::string& detail) {
  throw SqlError(503, "data.open",
                 "PostgreSQL's client library " + what + "; install Debian's package libpq5.", 0,
                 detail);
}

struct Loaded {
  boost::dll::shared_library library;
  Libpq functions;
};

template <typename Function>
void resolve(const boost::dll::shared_library& library, Function*& function, const char* name) {
  if (!library.has(name)) refuse("is too old", std::string(library_name) + " has no " + name);
  function = &library.get<Function>(name);
}

// The library loads TLS, Kerberos and LDAP: twenty-two libraries and their constructors, which a
// process without PostgreSQL does not pay for.
Loaded load() {
  namespace mode = boost::dll;
  Loaded loaded;
  try {
    loaded.library.load(library_name, mode::load_mode::rtld_now | mode::load_mode::rtld_local |
                                          mode::load_mode::search_system_folders);
  } catch (const std::exception& failure) {
    refuse("is missing", failure.what());
  }
#define TENON_LIBPQ_RESOLVE(name) resolve(loaded.library, loaded.functions.name, "PQ" #name);
  TENON_LIBPQ_FUNCTIONS(TENON_LIBPQ_RESOLVE)
#undef TENON_LIBPQ_RESOLVE
  return loaded;
}

}  // namespace

const Libpq& libpq() {
  // Never closed: results may still be freed while the process ends.
  static const Loaded& loaded = *new Loaded(load());
  return loaded.functions;
}

}  // namespace tenon::data::postgresql
