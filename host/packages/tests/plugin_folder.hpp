#pragma once

#include <string>

#include "base/error.hpp"

namespace tenon::plugins::test {

/// A folder that is gone with its owner.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::string& path() const noexcept { return path_; }

 private:
  std::string path_;
};

/// A library that was built for the tests.
std::string built_library(const std::string& name);

void write_file(const std::string& path, const std::string& content);
std::string read_file(const std::string& path);

/// A plain plugin.json; `more` are further members, each with a comma before it.
std::string manifest_text(const std::string& id, const std::string& version = "1.0.0",
                          const std::string& more = {});

/// Lays out `<directory>/<id>` with a manifest and, where named, the built library; returns the
/// folder.
std::string put_plugin(const std::string& directory, const std::string& id,
                       const std::string& manifest, const std::string& library = {});

/// The code of the Refusal or base::Error that `work` throws; empty when it throws none.
template <typename Work>
std::string refused(Work&& work) {
  try {
    work();
  } catch (const base::Error& error) {
    return error.code();
  }
  return {};
}

}  // namespace tenon::plugins::test
