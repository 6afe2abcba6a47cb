#include "installer/exports/export_reader.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>

#include "installer/exports/export_refusal.hpp"
#include "installer/exports/limits.hpp"
#include "packages/reason.hpp"

namespace tenon::plugins {

namespace {

constexpr std::size_t read_at_once = 256 * 1024;
constexpr const char* cut_off = "It is cut off: get the file again.";
constexpr const char* no_export = "This is no export of a plugin's data.";

[[noreturn]] void fail_reading_export(int error, const std::string& path) {
  throw Refusal(
      {"plugins.export_unreadable", "It cannot be read: " + system_words(error) + ".", path, {}},
      503);
}

bool is_zero(std::string_view bytes) noexcept {
  return std::all_of(bytes.begin(), bytes.end(), [](char c) { return c == 0; });
}

}  // namespace

ExportReader::ExportReader(std::string path) : path_(std::move(path)), buffer_(read_at_once) {
  // Without O_NONBLOCK a named pipe would be waited for.
  file_ = base::UniqueFd(::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file_ && errno == ENOENT)
    throw Refusal({"plugins.export_unknown", "There is no such export.", path_, {}}, 404);
  if (!file_) fail_reading_export(errno, path_);
  struct stat facts {};
  if (::fstat(file_.get(), &facts) != 0) fail_reading_export(errno, path_);
  if (!S_ISREG(facts.st_mode)) refuse_export_form("This is no regular file.", path_);
  bytes_ = static_cast<std::uint64_t>(facts.st_size);
}

void ExportReader::fill(char* out, std::size_t size) {
  while (size != 0) {
    const ssize_t got = ::read(file_.get(), out, size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_reading_export(errno, path_);
    if (got == 0) refuse_export_damage(cut_off, path_, entry_.name);
    out += got;
    size -= static_cast<std::size_t>(got);
  }
}

std::string_view ExportReader::block() {
  fill(buffer_.data(), tar_block);
  return {buffer_.data(), tar_block};
}

std::optional<TarEntry> ExportReader::next() {
  if (is_open_) read([](std::string_view) {});
  const std::string before = hash_.hex();
  const std::string_view header = block();
  const std::optional<TarEntry> entry = read_tar_header(header);
  if (!entry && is_zero(header)) refuse_export_damage(cut_off, path_, entry_.name);
  if (!entry) {
    if (entry_.name.empty()) refuse_export_form(no_export, path_);
    refuse_export_form("What follows is no header that this server writes.", path_, entry_.name);
  }
  if (entry->size > ExportLimits::entry)
    refuse_export_size("It is larger than anything can be.", path_, entry->name);
  hash_.add(header);
  entry_ = *entry;
  is_open_ = true;
  if (entry_.name != hash_entry) return entry_;
  check_end(before);
  return std::nullopt;
}

void ExportReader::check_end(const std::string& hash) {
  if (text(hash.size() + 1) != hash + "\n")
    refuse_export_damage("Its bytes were changed since it was written.", path_);
  for (int i = 0; i < 2; ++i) {
    if (!is_zero(block())) refuse_export_form("Something follows its end.", path_);
  }
  char more = 0;
  if (::read(file_.get(), &more, 1) != 0) refuse_export_form("Something follows its end.", path_);
}

void ExportReader::read(const Sink& sink) {
  for (std::uint64_t left = entry_.size; left != 0;) {
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(left, buffer_.size()));
    fill(buffer_.data(), size);
    const std::string_view piece(buffer_.data(), size);
    hash_.add(piece);
    sink(piece);
    left -= size;
  }
  is_open_ = false;
  skip_padding();
}

void ExportReader::skip_padding() {
  const std::size_t size = tar_padding(entry_.size);
  fill(buffer_.data(), size);
  const std::string_view zeros(buffer_.data(), size);
  if (!is_zero(zeros)) refuse_export_form("Data follows its content.", path_, entry_.name);
  hash_.add(zeros);
}

std::string ExportReader::text(std::size_t max_bytes) {
  if (entry_.size > max_bytes) {
    refuse_export_size("It is larger than " + std::to_string(max_bytes) + " bytes.", path_,
                       entry_.name);
  }
  std::string text;
  read([&text](std::string_view piece) { text += piece; });
  return text;
}

// Parts that a caller does not need.
void ExportParts::facts(const ExportFacts&) {}
void ExportParts::setting(const ExportedSetting&) {}
void ExportParts::begin_data(std::uint64_t) {}
void ExportParts::data(std::string_view) {}
void ExportParts::end_data() {}
void ExportParts::begin_blob(const std::string&, std::uint64_t) {}
void ExportParts::blob(std::string_view) {}
void ExportParts::end_blob(const std::string&) {}
void ExportParts::claims(const std::vector<blobs::Blobs::Claim>&) {}

ExportFacts read_facts(ExportReader& reader) {
  const std::optional<TarEntry> first = reader.next();
  if (!first || first->name != facts_entry) refuse_export_form(no_export, reader.path());
  return parse_facts(reader.text(ExportLimits::facts), reader.path());
}

namespace {

class Walk {
 public:
  Walk(const std::string& path, ExportParts& parts) : reader_(path), parts_(parts) {}

  void run() {
    const ExportFacts facts = read_facts(reader_);
    parts_.facts(facts);
    bool has_data = false;
    while (const std::optional<TarEntry> entry = reader_.next()) {
      if (entry->name == numbered(settings_folder, settings_ + 1) && stage_ == Stage::settings) {
        read_setting(*entry);
      } else if (entry->name == data_entry && stage_ < Stage::data) {
        stage_ = Stage::data;
        has_data = true;
        if (entry->size != facts.data_bytes || entry->size == 0)
          refuse_export_form("It has another size than is said.", reader_.path(), entry->name);
        parts_.begin_data(entry->size);
        reader_.read([this](std::string_view piece) { parts_.data(piece); });
        parts_.end_data();
      } else if (entry->name.starts_with(blobs_folder) && stage_ <= Stage::blobs) {
        stage_ = Stage::blobs;
        read_blob(*entry);
      } else if (entry->name == numbered(claims_folder, pages_ + 1)) {
        stage_ = Stage::claims;
        ++pages_;
        parts_.claims(parse_claims(reader_.text(ExportLimits::page), reader_.path(), entry->name));
      } else {
        refuse_export_form("It does not belong here.", reader_.path(), entry->name);
      }
    }
    if (!has_data && facts.data_bytes != 0)
      refuse_export_form("The database is missing.", reader_.path(), data_entry);
  }

 private:
  enum class Stage : std::uint8_t { settings, data, blobs, claims };

  static std::string numbered(const char* folder, std::size_t number) {
    return folder + std::to_string(number) + ".json";
  }

  void read_setting(const TarEntry& entry) {
    if (++settings_ > ExportLimits::settings) {
      refuse_export_size(
          "There are more than " + std::to_string(ExportLimits::settings) + " settings.",
          reader_.path(), entry.name);
    }
    parts_.setting(parse_setting(reader_.text(ExportLimits::setting), reader_.path(), entry.name));
  }

  void read_blob(const TarEntry& entry) {
    const std::string id = entry.name.substr(std::string_view(blobs_folder).size());
    if (!blobs::is_blob_id(id) || id <= blob_)
      refuse_export_form("It does not belong here.", reader_.path(), entry.name);
    blob_ = id;
    blobs::Sha256 hash;
    parts_.begin_blob(id, entry.size);
    reader_.read([&](std::string_view piece) {
      hash.add(piece);
      parts_.blob(piece);
    });
    if (hash.hex() != id)
      refuse_export_damage("Its bytes are not those that its name says.", reader_.path(),
                           entry.name);
    parts_.end_blob(id);
  }

  ExportReader reader_;
  ExportParts& parts_;
  Stage stage_ = Stage::settings;
  std::size_t settings_ = 0;
  std::size_t pages_ = 0;
  std::string blob_;
};

}  // namespace

void read_export(const std::string& path, ExportParts& parts) {
  Walk(path, parts).run();
}

}  // namespace tenon::plugins
