#include "http/response/encoded_variant.hpp"

#include <array>
#include <cerrno>
#include <optional>
#include <vector>

#include <fcntl.h>
#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.hpp"
#include "http/static_files/static_files.hpp"

namespace tenon::http {

namespace {

constexpr std::size_t block_bytes = 64 * 1024;

std::int64_t changed_ns(const struct stat& facts) noexcept {
  return facts.st_mtim.tv_sec * 1'000'000'000 + facts.st_mtim.tv_nsec;
}

// The hash of the whole file in hexadecimal; its bytes are added to `text` when there is one.
// Nothing when it cannot be read or has not `size` bytes.
std::optional<std::string> read_through(int descriptor, std::uint64_t size, std::string* text) {
  crypto_generichash_state hash;
  crypto_generichash_init(&hash, nullptr, 0, crypto_generichash_BYTES_MIN);
  std::vector<char> block(std::min<std::uint64_t>(size + 1, block_bytes));
  std::uint64_t seen = 0;
  for (;;) {
    const ssize_t got = ::read(descriptor, block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::nullopt;
    if (got == 0) break;
    const auto bytes = static_cast<std::size_t>(got);
    crypto_generichash_update(&hash, reinterpret_cast<const unsigned char*>(block.data()), bytes);
    if (text) text->append(block.data(), bytes);
    seen += bytes;
  }
  if (seen != size) return std::nullopt;
  std::array<unsigned char, crypto_generichash_BYTES_MIN> digest;
  crypto_generichash_final(&hash, digest.data(), digest.size());
  std::array<char, crypto_generichash_BYTES_MIN * 2 + 1> hex;
  return sodium_bin2hex(hex.data(), hex.size(), digest.data(), digest.size());
}

}  // namespace

EncodedVariant::EncodedVariant(const struct stat& facts, std::int64_t modified,
                               std::string_view coding) noexcept
    : size_(static_cast<std::uint64_t>(facts.st_size)),
      modified_(modified),
      changed_ns_(changed_ns(facts)),
      coding_(coding) {}

EncodedVariant::~EncodedVariant() {
  delete content_.load(std::memory_order_relaxed);
}

// Two forms never share a tag, not even of the same bytes.
std::string EncodedVariant::tag_of(std::string_view core) const {
  std::string tag = "\"";
  tag += core;
  if (!coding_.empty()) tag.append("-").append(coding_);
  return tag += '"';
}

const StaticContent* EncodedVariant::read(const std::string& name, std::string_view type,
                                          bool has_forms, const StaticOptions& options) const {
  const int descriptor = ::open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (descriptor < 0) return nullptr;
  auto file = std::make_shared<const base::UniqueFd>(descriptor);
  struct stat facts {};
  if (::fstat(descriptor, &facts) != 0 || !S_ISREG(facts.st_mode) ||
      static_cast<std::uint64_t>(facts.st_size) != size_ || changed_ns(facts) != changed_ns_) {
    return nullptr;
  }
  auto content = std::make_unique<StaticContent>();
  if (size_ <= hashed_file_bytes) {
    const bool is_kept = size_ <= options.keep_up_to;
    std::string text;
    if (is_kept) text.reserve(size_);
    const auto hash = read_through(descriptor, size_, is_kept ? &text : nullptr);
    if (!hash) return nullptr;
    content->etag = tag_of(*hash);
    if (is_kept) content->text = std::make_shared<const std::string>(std::move(text));
  } else {
    content->etag = tag_of(std::to_string(size_) + "-" + std::to_string(changed_ns_));
  }
  if (!content->text) content->file = std::move(file);

  std::string lines;
  const auto line = [&lines](std::string_view field, std::string_view value) {
    lines.append(field).append(": ").append(value).append("\r\n");
  };
  line("Content-Type", type);
  if (!coding_.empty()) line("Content-Encoding", coding_);
  if (has_forms) line("Vary", "Accept-Encoding");
  line("ETag", content->etag);
  line("Last-Modified", base::http_date(modified_));
  line("Cache-Control", options.is_immutable ? "public, max-age=31536000, immutable" : "no-cache");
  line("Accept-Ranges", "bytes");
  for (const auto& [field, value] : options.fields)
    line(field, value);
  content->fields = std::make_shared<const std::string>(std::move(lines));

  content_.store(content.get(), std::memory_order_release);
  return content.release();
}

}  // namespace tenon::http
