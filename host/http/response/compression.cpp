#include "http/response/compression.hpp"

#include <array>
#include <cstddef>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <zlib.h>

#include "http/limits.hpp"
#include "http/parser/ascii.hpp"
#include "http/parser/request.hpp"
#include "http/response/response.hpp"

namespace tenon::http {

namespace {

constexpr int level = 4;
constexpr int window_bits_gzip = 15 + 16;

// A deflater takes 268 KB: a few are shared by all workers.
class Deflaters {
 public:
  std::unique_ptr<z_stream> take() {
    {
      const std::lock_guard lock(mutex_);
      if (!free_.empty()) {
        auto stream = std::move(free_.back());
        free_.pop_back();
        return stream;
      }
    }
    auto stream = std::make_unique<z_stream>();
    if (deflateInit2(stream.get(), level, Z_DEFLATED, window_bits_gzip, 8, Z_DEFAULT_STRATEGY) !=
        Z_OK)
      return nullptr;
    return stream;
  }

  void give_back(std::unique_ptr<z_stream> stream) {
    const std::lock_guard lock(mutex_);
    if (free_.size() < kept && deflateReset(stream.get()) == Z_OK)
      free_.push_back(std::move(stream));
    else
      deflateEnd(stream.get());
  }

  ~Deflaters() {
    for (auto& stream : free_)
      deflateEnd(stream.get());
  }

 private:
  static constexpr std::size_t kept = 2;
  std::mutex mutex_;
  std::vector<std::unique_ptr<z_stream>> free_;
};

Deflaters& deflaters() {
  static Deflaters all;
  return all;
}

std::string gzip(std::string_view text) {
  auto stream = deflaters().take();
  if (!stream || text.size() > std::numeric_limits<uInt>::max()) return {};
  std::string out(deflateBound(stream.get(), static_cast<uLong>(text.size())), '\0');
  stream->next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream->avail_in = static_cast<uInt>(text.size());
  stream->next_out = reinterpret_cast<Bytef*>(out.data());
  stream->avail_out = static_cast<uInt>(out.size());
  const bool is_done = deflate(stream.get(), Z_FINISH) == Z_STREAM_END;
  out.resize(is_done ? stream->total_out : 0);
  deflaters().give_back(std::move(stream));
  return out;
}

bool is_compressible(std::string_view type) noexcept {
  type = type.substr(0, type.find(';'));
  if (type.starts_with("text/")) return type != "text/event-stream";
  return type.ends_with("+json") || type.ends_with("+xml") || type == "application/json" ||
         type == "application/xml" || type == "application/javascript" ||
         type == "application/manifest+json";
}

bool forbids_compression(const Response& response) noexcept {
  for (const auto& [name, value] : response.fields) {
    if (equals_ignoring_case(name, "content-encoding") ||
        equals_ignoring_case(name, "content-range"))
      return true;
    if (equals_ignoring_case(name, "etag") && !value.starts_with("W/")) return true;
    if (equals_ignoring_case(name, "cache-control") &&
        value.find("no-transform") != std::string::npos)
      return true;
  }
  return false;
}

// A weight is "q=0", "q=0.5", "q=1.000"; only whether it is zero matters here.
bool has_zero_weight(std::string_view parameters) noexcept {
  const std::string_view weight = trimmed(parameters);
  if (!weight.starts_with("q=") && !weight.starts_with("Q=")) return false;
  return weight.substr(2).find_first_not_of("0.") == std::string_view::npos;
}

}  // namespace

bool accepts_coding(std::string_view accept_encoding, std::string_view coding) noexcept {
  bool takes_any = false;
  while (!accept_encoding.empty()) {
    const std::string_view item = next_part(accept_encoding, ',');
    const std::size_t semicolon = item.find(';');
    const std::string_view name = trimmed(item.substr(0, semicolon));
    const bool is_taken =
        semicolon == std::string_view::npos || !has_zero_weight(item.substr(semicolon + 1));
    if (equals_ignoring_case(name, coding)) return is_taken;
    if (name == "*") takes_any = is_taken;
  }
  return takes_any;
}

void compress(const Request& request, Response& response, const Limits& limits) {
  std::string_view text;
  if (const auto* own = std::get_if<std::string>(&response.body))
    text = *own;
  else if (const auto* shared = std::get_if<SharedBody>(&response.body))
    text = *shared ? std::string_view(**shared) : text;
  if (text.size() < limits.compress_from || response.status < 200 || response.status == 206) return;
  if (!is_compressible(response.content_type) || forbids_compression(response)) return;
  response.varies_by_encoding = true;
  if (!accepts_coding(request.field("accept-encoding"), "gzip")) return;
  std::string packed = gzip(text);
  if (packed.empty() || packed.size() >= text.size()) return;
  response.with("Content-Encoding", "gzip");
  response.body = std::move(packed);
}

}  // namespace tenon::http
