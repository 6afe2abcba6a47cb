#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/connection/application.hpp"
#include "http/response/response.hpp"

namespace tenon::http {

struct StaticOptions {
  /// True for trees whose file names carry a hash of the content: cached for a year and never asked
  /// for again. Else every use is checked against the ETag.
  bool is_immutable = false;
  std::size_t keep_up_to = 32 * 1024;  ///< files of at most so many bytes stay in memory
  /// Sent with every file (policy headers).
  std::vector<std::pair<std::string, std::string>> fields;
};

/// The files below one directory as they were at its first use, when it is listed. Each is read,
/// and hashed up to hashed_file_bytes, at its own first use; a file that was removed or changed
/// before that gets 503 "http.file_unavailable". Thread-safe; a tree may be destroyed at any time,
/// as pending responses keep what they need. Links, names that begin with a dot and everything but
/// regular files are left out; "name.br" and "name.gz" next to "name" are its encoded forms.
class StaticTree {
 public:
  /// Lists nothing yet. Throws base::Error 500 "http.static_tree" when there is no such directory.
  static std::shared_ptr<const StaticTree> load(const std::string& directory,
                                                StaticOptions options = {});
  ~StaticTree();
  StaticTree(const StaticTree&) = delete;
  StaticTree& operator=(const StaticTree&) = delete;

  /// `path` is relative ("assets/app.js"), decoded, without a leading slash.
  /// False when the directory cannot be listed.
  bool has(std::string_view path) const noexcept;
  /// Paths of all files, sorted. Throws base::Error 500 "http.static_tree" when the directory
  /// cannot be listed; so does size().
  std::vector<std::string_view> paths() const;
  std::size_t size() const;

  /// Reads the files that were not read yet, in the order of the paths, until `max` forms were
  /// asked for: those are served from now on whatever becomes of the directory. A file that cannot
  /// be read is left out, and so is all of a directory that cannot be listed. Blocks on the disk.
  void read_all(std::size_t max) const;

  /// Returns the response for a file of the tree: 200, 206, 304, 416; 404 "http.not_found" for a
  /// file that is not in it, 405 for methods but GET and HEAD. Throws base::Error 500
  /// "http.static_tree" when the directory cannot be listed; the next request tries again. Never
  /// blocks but for the disk.
  Response respond(const Request& request, std::string_view path) const;

 private:
  struct Content;
  explicit StaticTree(std::unique_ptr<Content> content);
  std::unique_ptr<Content> content_;
};

/// A handler without a share that serves `tree` below `prefix` ("/ui/"): what follows it in the
/// request's path names the file.
std::unique_ptr<Handler> make_static_handler(std::shared_ptr<const StaticTree> tree,
                                             std::string prefix);

}  // namespace tenon::http
