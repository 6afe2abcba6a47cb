#include "http/static_files.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>

#include <fcntl.h>
#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "http/compression.hpp"
#include "http/conditional.hpp"
#include "http/content_types.hpp"
#include "http/request.hpp"

namespace tenon::http {

namespace {

namespace fs = std::filesystem;

// One encoded form of a file.
struct Form {
  std::string file_name;
  std::uint64_t size = 0;
  std::int64_t modified = 0;  // seconds since 1970, of the plain form
  std::int64_t modified_on_disk = 0;
  std::string etag;
  SharedBody text;                               // null: it stays on disk
  SharedBody fields;                             // of a 200, 206 and 304
  mutable std::shared_ptr<const OpenFile> open;  // from the first use on, under the tree's mutex
};

struct File {
  Form plain;
  std::optional<Form> brotli;
  std::optional<Form> gzip;
};

std::shared_ptr<const OpenFile> open_file(const std::string& name) {
  const int descriptor = ::open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  return descriptor < 0 ? nullptr : std::make_shared<const OpenFile>(descriptor);
}

[[noreturn]] void fail(const std::string& what, const std::string& name) {
  throw base::Error(500, "http.static_tree", what + " " + name + ".");
}

// Reads the file through, for its hash and, where it is small, its text.
Form read_form(const std::string& name, std::size_t keep_up_to) {
  const auto file = open_file(name);
  struct stat facts {};
  if (!file || ::fstat(file->descriptor(), &facts) != 0) fail("Cannot read", name);
  Form form;
  form.file_name = name;
  form.size = static_cast<std::uint64_t>(facts.st_size);
  form.modified = form.modified_on_disk = facts.st_mtime;
  const bool is_kept = form.size <= keep_up_to;
  std::string text;
  crypto_generichash_state hash;
  crypto_generichash_init(&hash, nullptr, 0, crypto_generichash_BYTES_MIN);
  std::vector<char> block(64 * 1024);
  std::uint64_t seen = 0;
  for (;;) {
    const ssize_t got = ::read(file->descriptor(), block.data(), block.size());
    if (got < 0) fail("Cannot read", name);
    if (got == 0) break;
    const auto bytes = static_cast<std::size_t>(got);
    crypto_generichash_update(&hash, reinterpret_cast<const unsigned char*>(block.data()), bytes);
    if (is_kept) text.append(block.data(), bytes);
    seen += bytes;
  }
  if (seen != form.size) fail("While it was read, somebody changed", name);
  std::array<unsigned char, crypto_generichash_BYTES_MIN> digest;
  crypto_generichash_final(&hash, digest.data(), digest.size());
  std::array<char, crypto_generichash_BYTES_MIN * 2 + 1> hex;
  sodium_bin2hex(hex.data(), hex.size(), digest.data(), digest.size());
  form.etag = std::string("\"") + hex.data() + "\"";
  if (is_kept) form.text = std::make_shared<const std::string>(std::move(text));
  return form;
}

void prepare(Form& form, std::string_view type, std::string_view coding, bool has_forms,
             const StaticOptions& options) {
  std::string lines;
  const auto line = [&lines](std::string_view name, std::string_view value) {
    lines.append(name).append(": ").append(value).append("\r\n");
  };
  line("Content-Type", type);
  if (!coding.empty()) line("Content-Encoding", coding);
  if (has_forms) line("Vary", "Accept-Encoding");
  line("ETag", form.etag);
  line("Last-Modified", base::http_date(form.modified));
  line("Cache-Control", options.is_immutable ? "public, max-age=31536000, immutable" : "no-cache");
  line("Accept-Ranges", "bytes");
  for (const auto& [name, value] : options.fields)
    line(name, value);
  form.fields = std::make_shared<const std::string>(std::move(lines));
}

Response problem(const Request& request, int status, const char* code, const char* message) {
  return problem_response(base::Error(status, code, message), request.request_id);
}

}  // namespace

struct StaticTree::Content {
  std::map<std::string, File, std::less<>> files;
  std::mutex mutex;

  std::shared_ptr<const OpenFile> open(const Form& form) {
    const std::lock_guard lock(mutex);
    if (!form.open) {
      auto file = open_file(form.file_name);
      struct stat facts {};
      const bool is_same = file && ::fstat(file->descriptor(), &facts) == 0 &&
                           static_cast<std::uint64_t>(facts.st_size) == form.size &&
                           facts.st_mtime == form.modified_on_disk;
      if (is_same) form.open = std::move(file);
    }
    return form.open;
  }

  Response answer(const Request& request, const Form& form) {
    Response response;
    response.prepared = form.fields;
    if (is_not_modified(request, form.etag, form.modified)) {
      response.status = 304;
      return response;
    }
    ByteRange range{0, form.size};
    const RangeKind kind = requested_range(request, form.size, form.etag, form.modified, range);
    if (kind == RangeKind::unsatisfiable) {
      response = problem(request, 416, "http.range_not_satisfiable", "The file has no such range.");
      response.with("Content-Range", "bytes */" + std::to_string(form.size));
      return response;
    }
    if (kind == RangeKind::part) {
      response.status = 206;
      response.with("Content-Range", "bytes " + std::to_string(range.first) + "-" +
                                         std::to_string(range.first + range.size - 1) + "/" +
                                         std::to_string(form.size));
    }
    if (form.text) {
      if (kind == RangeKind::whole)
        response.body = form.text;
      else
        response.body = form.text->substr(range.first, range.size);
      return response;
    }
    auto file = open(form);
    if (!file)
      return problem(request, 503, "http.file_unavailable", "The file cannot be read now.");
    response.body = FileBody{std::move(file), range.first, range.size};
    return response;
  }
};

StaticTree::StaticTree(std::unique_ptr<Content> content) : content_(std::move(content)) {}

StaticTree::~StaticTree() = default;

std::shared_ptr<const StaticTree> StaticTree::load(const std::string& directory,
                                                   StaticOptions options) {
  auto content = std::make_unique<Content>();
  std::map<std::string, std::string> names;  // in the tree, on disk
  try {
    for (auto entry = fs::recursive_directory_iterator(directory);
         entry != fs::recursive_directory_iterator(); ++entry) {
      const bool is_hidden = entry->path().filename().native().starts_with('.');
      const fs::file_status status = entry->symlink_status();
      if (is_hidden && fs::is_directory(status)) entry.disable_recursion_pending();
      if (is_hidden || !fs::is_regular_file(status)) continue;
      names.emplace(entry->path().lexically_relative(directory).generic_string(),
                    entry->path().native());
    }
  } catch (const fs::filesystem_error& error) {
    fail("Cannot list (" + error.code().message() + ")", directory);
  }
  for (const auto& [path, name] : names) {
    const std::string stem = path.substr(0, path.size() > 3 ? path.size() - 3 : 0);
    if ((path.ends_with(".br") || path.ends_with(".gz")) && names.contains(stem)) continue;
    File file;
    file.plain = read_form(name, options.keep_up_to);
    const auto read_sibling = [&, &path = path](const char* extension,
                                                const char* mark) -> std::optional<Form> {
      const auto sibling = names.find(path + extension);
      if (sibling == names.end()) return std::nullopt;
      Form form = read_form(sibling->second, options.keep_up_to);
      form.modified = file.plain.modified;
      // The content is that of the plain form, in other bytes.
      form.etag = file.plain.etag.substr(0, file.plain.etag.size() - 1) + mark + "\"";
      return form;
    };
    file.brotli = read_sibling(".br", "-br");
    file.gzip = read_sibling(".gz", "-gz");
    const std::string_view type = content_type_of(path);
    const bool has_forms = file.brotli || file.gzip;
    prepare(file.plain, type, "", has_forms, options);
    if (file.brotli) prepare(*file.brotli, type, "br", true, options);
    if (file.gzip) prepare(*file.gzip, type, "gzip", true, options);
    content->files.emplace(path, std::move(file));
  }
  return std::shared_ptr<const StaticTree>(new StaticTree(std::move(content)));
}

bool StaticTree::has(std::string_view path) const noexcept {
  return content_->files.find(path) != content_->files.end();
}

std::vector<std::string_view> StaticTree::paths() const {
  std::vector<std::string_view> all;
  for (const auto& [path, file] : content_->files)
    all.emplace_back(path);
  return all;
}

std::size_t StaticTree::size() const noexcept {
  return content_->files.size();
}

Response StaticTree::respond(const Request& request, std::string_view path) const {
  if (request.method != Method::get && request.method != Method::head) {
    return problem(request, 405, "http.method_not_allowed", "A file can only be read.")
        .with("Allow", "GET, HEAD");
  }
  const auto found = content_->files.find(path);
  if (found == content_->files.end())
    return problem(request, 404, "http.not_found", "There is no such file.");
  const File& file = found->second;
  const std::string_view accepted = request.field("accept-encoding");
  // A range is one of the plain form: what a client asks for piece by piece it means to put
  // together itself.
  if (request.field("range").empty()) {
    if (file.brotli && accepts_coding(accepted, "br"))
      return content_->answer(request, *file.brotli);
    if (file.gzip && accepts_coding(accepted, "gzip")) return content_->answer(request, *file.gzip);
  }
  return content_->answer(request, file.plain);
}

namespace {

class StaticHandler final : public Handler {
 public:
  StaticHandler(std::shared_ptr<const StaticTree> tree, std::string prefix)
      : tree_(std::move(tree)), prefix_(std::move(prefix)) {}

  void handle(const ExchangePtr& exchange) override {
    std::string_view path = exchange->request().path;
    path.remove_prefix(path.starts_with(prefix_) ? prefix_.size() : path.size());
    exchange->answer(tree_->respond(exchange->request(), path));
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
