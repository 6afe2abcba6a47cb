// The module libtenon_tls.so. Linked into the program, Poco's NetSSL and OpenSSL would be loaded,
// relocated and initialized at every start; they are needed for https URLs only.

#include <Poco/Net/Context.h>
#include <Poco/Net/NetSSL.h>
#include <Poco/Net/SecureStreamSocket.h>
#include <openssl/crypto.h>

#include "http_client/tls.hpp"

namespace {

namespace net = Poco::Net;

net::Context::Ptr context() {
  // One for the process: reading the system's authorities takes some milliseconds.
  static const net::Context::Ptr shared = [] {
    net::initializeSSL();
    // Strict: the host's name is compared for this machine, too.
    net::Context::Ptr made(
        new net::Context(net::Context::TLS_CLIENT_USE, "", net::Context::VERIFY_STRICT, 9, true));
    made->requireMinimumProtocol(net::Context::PROTO_TLSV1_2);
    return made;
  }();
  return shared;
}

net::StreamSocket secure(const net::StreamSocket& connected, const std::string& host) {
  return net::SecureStreamSocket::attach(connected, host, context());
}

const char* version() {
  return ::OpenSSL_version(OPENSSL_VERSION);
}

}  // namespace

extern "C"
    [[gnu::visibility("default")]] const tenon::http_client::Tls tenon_tls_1{&secure, &version};
