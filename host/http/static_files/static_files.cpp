#include "http/static_files/static_files.hpp"

#include <atomic>
#include <exception>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>

#include <sys/stat.h>
#include <unistd.h>

#include "base/error.hpp"
#include "http/parser/request.hpp"
#include "http/response/compression.hpp"
#include "http/response/conditional.hpp"
#include "http/response/content_types.hpp"
#include "http/response/encoded_variant.hpp"

namespace tenon::http {

namespace {

namespace fs = std::filesystem;

struct File {
  std::optional<EncodedVariant> plain;
  std::optional<EncodedVariant> brotli;
  std::optional<EncodedVariant> gzip;
};

using Files = std::map<std::string, File, std::less<>>;

[[noreturn]] void fail(const std::string& what, const std::string& name) {
  throw base::Error(500, "http.static_tree", what + " " + name + ".");
}

Response problem(const Request& request, int status, const char* code, const char* message) {
  return problem_response(base::Error(status, code, message), request.request_id);
}

Files list(const std::string& directory) {
  std::map<std::string, struct stat, std::less<>> found;
  try {
    for (auto entry = fs::recursive_directory_iterator(directory);
         entry != fs::recursive_directory_iterator(); ++entry) {
      const std::string& name = entry->path().native();
      // A name below the directory is its own, a slash and the rest.
      std::string path = name.substr(directory.size() + (directory.ends_with('/') ? 0 : 1));
      const bool is_hidden = path[path.rfind('/') + 1] == '.';
      struct stat facts {};
      if (::lstat(name.c_str(), &facts) != 0) fail("Cannot read", name);
      if (is_hidden && S_ISDIR(facts.st_mode)) entry.disable_recursion_pending();
      if (is_hidden || !S_ISREG(facts.st_mode)) continue;
      found.emplace_hint(found.end(), std::move(path), facts);
    }
  } catch (const fs::filesystem_error& error) {
    fail("Cannot list (" + error.code().message() + ")", directory);
  }
  Files files;
  for (const auto& [path, facts] : found) {
    const std::string_view stem(path.data(), path.size() > 3 ? path.size() - 3 : 0);
    if ((path.ends_with(".br") || path.ends_with(".gz")) && found.contains(stem)) continue;
    File& file = files[path];
    file.plain.emplace(facts, facts.st_mtime, "");
    if (const auto brotli = found.find(path + ".br"); brotli != found.end())
      file.brotli.emplace(brotli->second, facts.st_mtime, "br");
    if (const auto gzip = found.find(path + ".gz"); gzip != found.end())
      file.gzip.emplace(gzip->second, facts.st_mtime, "gzip");
  }
  return files;
}

}  // namespace

struct StaticTree::Content {
  std::string directory;
  StaticOptions options;
  std::mutex mutex;  // of the first use of the list and of a form

  const Files& files() {
    if (const Files* listed = listed_.load(std::memory_order_acquire)) return *listed;
    const std::lock_guard lock(mutex);
    if (!listed_.load(std::memory_order_relaxed)) {
      files_ = list(directory);
      listed_.store(&files_, std::memory_order_release);
    }
    return files_;
  }

  const StaticContent* content_of(const std::string& path, const File& file,
                                  const EncodedVariant& form, const char* extension) {
    if (const StaticContent* read = form.content()) return read;
    const std::lock_guard lock(mutex);
    if (const StaticContent* read = form.content()) return read;
    return form.read(directory + "/" + path + extension, content_type_of(path),
                     file.brotli || file.gzip, options);
  }

  Response respond(const Request& request, const std::string& path, const File& file,
                   const EncodedVariant& form, const char* extension) {
    const StaticContent* content = content_of(path, file, form, extension);
    if (!content)
      return problem(request, 503, "http.file_unavailable", "The file cannot be read now.");
    Response response;
    response.prepared = content->fields;
    if (is_not_modified(request, content->etag, form.modified())) {
      response.status = 304;
      return response;
    }
    const std::uint64_t size = form.size();
    ByteRange range{0, size};
    const RangeKind kind = requested_range(request, size, content->etag, form.modified(), range);
    if (kind == RangeKind::unsatisfiable) {
      response = problem(request, 416, "http.range_not_satisfiable", "The file has no such range.");
      response.with("Content-Range", "bytes */" + std::to_string(size));
      return response;
    }
    if (kind == RangeKind::part) {
      response.status = 206;
      response.with("Content-Range", "bytes " + std::to_string(range.first) + "-" +
                                         std::to_string(range.first + range.size - 1) + "/" +
                                         std::to_string(size));
    }
    if (!content->text)
      response.body = FileBody{content->file, range.first, range.size};
    else if (kind == RangeKind::whole)
      response.body = content->text;
    else
      response.body = content->text->substr(range.first, range.size);
    return response;
  }

 private:
  Files files_;
  std::atomic<const Files*> listed_{nullptr};
};

StaticTree::StaticTree(std::unique_ptr<Content> content) : content_(std::move(content)) {}

StaticTree::~StaticTree() = default;

std::shared_ptr<const StaticTree> StaticTree::load(const std::string& directory,
                                                   StaticOptions options) {
  std::error_code error;
  if (!fs::is_directory(directory, error))
    fail("Cannot list (" + (error ? error.message() : "not a directory") + ")", directory);
  auto content = std::make_unique<Content>();
  content->directory = directory;
  content->options = std::move(options);
  return std::shared_ptr<const StaticTree>(new StaticTree(std::move(content)));
}

bool StaticTree::has(std::string_view path) const noexcept {
  try {
    return content_->files().contains(path);
  } catch (const std::exception&) {
    return false;
  }
}

std::vector<std::string_view> StaticTree::paths() const {
  std::vector<std::string_view> all;
  for (const auto& [path, file] : content_->files())
    all.emplace_back(path);
  return all;
}

std::size_t StaticTree::size() const {
  return content_->files().size();
}

void StaticTree::read_all(std::size_t max) const {
  std::size_t asked = 0;
  const Files* files = nullptr;
  try {
    files = &content_->files();
  } catch (const base::Error&) {
    return;
  }
  for (const auto& [path, file] : *files) {
    const std::pair<const EncodedVariant*, const char*> forms[] = {
        {&*file.plain, ""},
        {file.brotli ? &*file.brotli : nullptr, ".br"},
        {file.gzip ? &*file.gzip : nullptr, ".gz"}};
    for (const auto& [form, extension] : forms) {
      if (!form) continue;
      if (asked++ == max) return;
      content_->content_of(path, file, *form, extension);
    }
  }
}

Response StaticTree::respond(const Request& request, std::string_view path) const {
  if (request.method != Method::get && request.method != Method::head) {
    return problem(request, 405, "http.method_not_allowed", "A file can only be read.")
        .with("Allow", "GET, HEAD");
  }
  const Files& files = content_->files();
  const auto found = files.find(path);
  if (found == files.end())
    return problem(request, 404, "http.not_found", "There is no such file.");
  const auto& [name, file] = *found;
  const std::string_view accepted = request.field("accept-encoding");
  // A range is one of the plain form: what a client asks for piece by piece it means to put
  // together itself.
  if (request.field("range").empty()) {
    if (file.brotli && accepts_coding(accepted, "br"))
      return content_->respond(request, name, file, *file.brotli, ".br");
    if (file.gzip && accepts_coding(accepted, "gzip"))
      return content_->respond(request, name, file, *file.gzip, ".gz");
  }
  return content_->respond(request, name, file, *file.plain, "");
}

namespace {

class StaticHandler final : public Handler {
 public:
  StaticHandler(std::shared_ptr<const StaticTree> tree, std::string prefix)
      : tree_(std::move(tree)), prefix_(std::move(prefix)) {}

  void handle(const ExchangePtr& exchange) override {
    std::string_view path = exchange->request().path;
    path.remove_prefix(path.starts_with(prefix_) ? prefix_.size() : path.size());
    exchange->respond(tree_->respond(exchange->request(), path));
  }

 private:
  const std::shared_ptr<const StaticTree> tree_;
  const std::string prefix_;
};

}  // namespace

std::unique_ptr<Handler> make_static_handler(std::shared_ptr<const StaticTree> tree,
                                             std::string prefix) {
  return std::make_unique<StaticHandler>(std::move(tree), std::move(prefix));
}

}  // namespace tenon::http
