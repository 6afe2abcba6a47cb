#pragma once

#include <string>

#include <Poco/Net/StreamSocket.h>

namespace tenon::http_client {

/// The functions of the module libtenon_tls.so.
struct Tls {
  /// Returns a socket that speaks TLS 1.2 or newer over `connected`. Its certificate must be of
  /// `host` and of an authority that the system trusts. Throws Poco::Exception, here or when the
  /// socket is used first.
  Poco::Net::StreamSocket (*secure)(const Poco::Net::StreamSocket& connected,
                                    const std::string& host);
  /// Returns the version of OpenSSL, as text.
  const char* (*version)();
};

/// Its name among the symbols of the module. The number changes with the struct above.
inline constexpr const char* tls_symbol = "tenon_tls_1";

/// Returns TLS. The first call opens the module, `../lib/tenon/libtenon_tls.so` as seen from the
/// program, which then stays open; a call that fails is repeated by the next one. Thread: any.
/// Throws std::runtime_error that says what failed, where, and what to do.
const Tls& tls();

}  // namespace tenon::http_client
