// An export of a plugin's data and its parts. The first line says what the rest is: "tar", bytes of
// an export; "entries", lines "name=content" that become one with the hash that is right for them,
// where the name "blob" means the hash of its content; "header", a block; "facts", "setting" and
// "claims", the text of such an entry.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

#include "blobs/sha256.hpp"
#include "installer/exports/export_facts.hpp"
#include "installer/exports/export_reader.hpp"
#include "installer/exports/limits.hpp"
#include "installer/exports/tar_form.hpp"
#include "packages/reason.hpp"
#include "property.hpp"

namespace {

using namespace tenon::plugins;

using Entries = std::vector<std::pair<std::string, std::string>>;

const std::string location = "location";

// A file in memory, with a path.
class File {
 public:
  explicit File(std::string_view bytes) : number_(::memfd_create("export", MFD_CLOEXEC)) {
    TENON_HOLDS(number_ >= 0);
    TENON_HOLDS(::write(number_, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
    path_ = "/proc/self/fd/" + std::to_string(number_);
  }
  ~File() { ::close(number_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  const std::string& path() const noexcept { return path_; }

 private:
  int number_;
  std::string path_;
};

std::string hash_of_text(std::string_view text) {
  tenon::blobs::Sha256 hash;
  hash.add(text);
  return hash.hex();
}

void append(std::string& bytes, const std::string& name, std::string_view content) {
  const auto header = tar_header({name, content.size()});
  bytes.append(header.data(), header.size()).append(content);
  bytes.append(tar_padding(content.size()), '\0');
}

std::string written(const Entries& entries) {
  std::string bytes;
  for (const auto& [name, content] : entries)
    append(bytes, name, content);
  append(bytes, hash_entry, hash_of_text(bytes) + "\n");
  return bytes.append(2 * tar_block, '\0');
}

Entries entries_of(const std::string& path) {
  ExportReader reader(path);
  Entries entries;
  while (const auto entry = reader.next()) {
    std::string content;
    reader.read([&](std::string_view piece) { content += piece; });
    TENON_HOLDS(content.size() == entry->size);
    entries.emplace_back(entry->name, std::move(content));
  }
  return entries;
}

// Checks the order and the limits of the reported parts.
class Parts final : public ExportParts {
 public:
  void facts(const ExportFacts& facts) override {
    TENON_HOLDS(order_.empty());
    order_ += 'f';
    bytes_ = facts.data_bytes;
  }
  void setting(const ExportedSetting& setting) override {
    TENON_HOLDS(!setting.key.empty() && setting.key.size() <= 64);
    order_ += 's';
    TENON_HOLDS(++settings_ <= ExportLimits::settings);
  }
  void begin_data(std::uint64_t bytes) override {
    order_ += 'd';
    TENON_HOLDS(bytes == bytes_ && bytes != 0);
  }
  void data(std::string_view piece) override { bytes_ -= piece.size(); }
  void end_data() override { TENON_HOLDS(bytes_ == 0); }
  void begin_blob(const std::string& id, std::uint64_t) override {
    order_ += 'b';
    TENON_HOLDS(tenon::blobs::is_blob_id(id) && blob_ < id);
    blob_ = id;
    hash_ = {};
  }
  void blob(std::string_view piece) override { hash_.add(piece); }
  void end_blob(const std::string& id) override { TENON_HOLDS(hash_.hex() == id); }
  void claims(const std::vector<tenon::blobs::Blobs::Claim>& claims) override {
    order_ += 'c';
    TENON_HOLDS(claims.size() <= ExportLimits::claims);
  }

  // Facts, settings, the database, files, claims.
  void check() const {
    constexpr std::string_view ranks = "fsdbc";
    TENON_HOLDS(order_.starts_with('f'));
    TENON_HOLDS(std::is_sorted(order_.begin(), order_.end(), [&](char left, char right) {
      return ranks.find(left) < ranks.find(right);
    }));
    TENON_HOLDS(std::count(order_.begin(), order_.end(), 'd') <= 1);
    TENON_HOLDS(bytes_ == 0);
  }

 private:
  std::string order_;
  std::string blob_;
  tenon::blobs::Sha256 hash_;
  std::uint64_t bytes_ = 0;
  std::size_t settings_ = 0;
};

// There is one form: what the entries give is what was read.
void check_tar(std::string_view bytes) {
  const File file(bytes);
  try {
    TENON_HOLDS(written(entries_of(file.path())) == bytes);
    Parts parts;
    read_export(file.path(), parts);
    parts.check();
  } catch (const Refusal& refusal) {
    TENON_HOLDS(refusal.reason().file == file.path());
    throw;
  }
}

void check_entries(std::string_view text) {
  Entries entries;
  while (!text.empty()) {
    const std::string_view line = tenon::fuzz::take_line(text);
    const std::size_t equals = std::min(line.find('='), line.size());
    const std::string content(line.substr(std::min(equals + 1, line.size())));
    std::string name(line.substr(0, std::min(equals, max_tar_name)));
    if (name == "blob") name = blobs_folder + hash_of_text(content);
    // The last entry is added here, and invalid names are not written.
    if (name.empty() || name == hash_entry || name.find('\0') != std::string::npos) return;
    entries.emplace_back(std::move(name), content);
  }
  const std::string bytes = written(entries);
  {
    const File file(bytes);
    TENON_HOLDS(entries_of(file.path()) == entries);
    // A byte that is another one is noticed, wherever it is.
    std::string other = bytes;
    char& changed = other[bytes.size() * 7919 / 10000];
    changed = static_cast<char>(changed ^ 1);
    const File damaged(other);
    bool is_taken = true;
    try {
      entries_of(damaged.path());
    } catch (const Refusal&) {
      is_taken = false;
    }
    TENON_HOLDS(!is_taken);
  }
  check_tar(bytes);
}

void check_header(std::string_view block) {
  const auto entry = read_tar_header(block);
  if (!entry) return;
  const auto again = tar_header(*entry);
  TENON_HOLDS(std::string_view(again.data(), again.size()) == block);
}

// Written again it reads back.
void check_facts(std::string_view text) {
  const ExportFacts facts = parse_facts(text, location);
  TENON_HOLDS(facts.version.size() <= 64 && facts.data_bytes <= ExportLimits::entry);
  const std::string again = facts_text(facts);
  TENON_HOLDS(facts_text(parse_facts(again, location)) == again);
}

void check_setting(std::string_view text) {
  const std::string again = setting_text(parse_setting(text, location, location));
  TENON_HOLDS(setting_text(parse_setting(again, location, location)) == again);
}

void check_claims(std::string_view text) {
  const std::string again = claims_text(parse_claims(text, location, location));
  TENON_HOLDS(claims_text(parse_claims(again, location, location)) == again);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text = tenon::fuzz::text_of(data, size);
  const std::string_view kind = tenon::fuzz::take_line(text);
  const tenon::fuzz::Piece piece(text);
  try {
    if (kind == "tar") check_tar(piece.get());
    if (kind == "entries") check_entries(piece.get());
    if (kind == "header") check_header(piece.get());
    if (kind == "facts") check_facts(piece.get());
    if (kind == "setting") check_setting(piece.get());
    if (kind == "claims") check_claims(piece.get());
  } catch (const Refusal& refusal) {
    TENON_HOLDS(refusal.code().starts_with("plugins.export_"));
    TENON_HOLDS(refusal.status() == 422);
  }
  return 0;
}
