#include "http_client/tls.hpp"

#define BOOST_DLL_USE_STD_FS
#include <filesystem>
#include <stdexcept>

#include <boost/dll/shared_library.hpp>

namespace tenon::http_client {

namespace {

const Tls& load() {
  namespace fs = std::filesystem;
  const fs::path module =
      (fs::read_symlink("/proc/self/exe").parent_path() / "../lib/tenon/libtenon_tls.so")
          .lexically_normal();
  try {
    // Never closed: OpenSSL has handlers of its own for the end of the process. Static, so that a
    // search for leaks finds it.
    static auto& library = *new boost::dll::shared_library(
        module, boost::dll::load_mode::rtld_now | boost::dll::load_mode::rtld_local);
    return library.get<const Tls>(tls_symbol);
  } catch (const std::exception& failure) {
    throw std::runtime_error("TLS is not available: the module " + module.string() +
                             " cannot be used (" + failure.what() +
                             "). Install Tenon again; the module is of the same build.");
  }
}

}  // namespace

const Tls& tls() {
  static const Tls& loaded = load();
  return loaded;
}

}  // namespace tenon::http_client
