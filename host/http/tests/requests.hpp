#pragma once

#include <string>

namespace tenon::http::test {

/// The line that each request of HTTP/1.1 has.
inline const std::string host = "Host: a\r\n";

inline std::string ask(const std::string& method, const std::string& path,
                       const std::string& fields = {}) {
  return method + " " + path + " HTTP/1.1\r\n" + host + fields + "\r\n";
}

inline std::string post(const std::string& path, const std::string& body,
                        const std::string& fields = {}) {
  return ask("POST", path, "Content-Length: " + std::to_string(body.size()) + "\r\n" + fields) +
         body;
}

inline std::string get(const std::string& path, const std::string& version = "1.1") {
  return "GET " + path + " HTTP/" + version + "\r\n" + host + "\r\n";
}

}  // namespace tenon::http::test
