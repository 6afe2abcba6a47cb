#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

namespace tenon::app {

/// Prints the messages of `tenon dev` to standard output: text for people, or one JSON object a
/// line with the member "event" for programs. Not thread-safe.
class DevOutput {
 public:
  explicit DevOutput(bool is_json) : is_json_(is_json) {}

  /// Returns the stream for the output of compilers and bundlers: standard error if standard output
  /// has JSON.
  std::FILE* stream_of_tools() const { return is_json_ ? stderr : stdout; }

  /// {"event":"message","text"}
  void message(const std::string& text) const;
  /// {"event":"ready","id","url","page","password","users":[…]}
  void ready(const std::string& id, const std::string& url, const std::string& page) const;
  /// {"event":"changed","path"}; `more` files changed, too.
  void changed(const std::string& path, bool more) const;
  /// {"event":"plan","text"}
  void plan(const std::string& text) const;
  /// {"event":"loaded","milliseconds"}
  void loaded(std::int64_t milliseconds) const;
  /// {"event":"reset","milliseconds"}
  void reset(std::int64_t milliseconds) const;
  /// {"event":"failed","part","code","message"}. `part` is "native", "ui", "types" or "plugin";
  /// `code` may be empty.
  void failed(const std::string& part, const std::string& code, const std::string& message) const;
  /// {"event":"tests","passed"}
  void tests(bool passed) const;
  /// {"event":"user","login"}
  void user(const std::string& login) const;

 private:
  bool is_json_;
};

}  // namespace tenon::app
