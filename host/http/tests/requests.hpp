#pragma once

#include <string>

namespace tenon::http::test {

/// The line that each request of HTTP/1.1 has.
inline const std::string host = "Host: a\r\n";

inline std::string get(const std::string& path, const std::string& version = "1.1") {
  return "GET " + path + " HTTP/" + version + "\r\n" + host + "\r\n";
}

inline std::string post(const std::string& path, const std::string& body) {
  return "POST " + path + " HTTP/1.1\r\n" + host +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

}  // namespace tenon::http::test
