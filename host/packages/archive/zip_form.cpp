#include "packages/archive/zip_form.hpp"

#include <zlib.h>

#include "packages/archive/limits.hpp"
#include "packages/archive/package_refusal.hpp"

// Format: PKWARE's APPNOTE 6.3.10, sections 4.3.7, 4.3.12 and 4.3.16.
namespace tenon::plugins {

namespace {

constexpr std::size_t local_bytes = 30;
constexpr std::size_t central_bytes = 46;
constexpr std::size_t end_bytes = 22;
constexpr std::uint32_t local_mark = 0x04034b50;
constexpr std::uint32_t central_mark = 0x02014b50;
constexpr std::uint32_t end_mark = 0x06054b50;

constexpr std::uint16_t version = 20;            // deflate
constexpr std::uint16_t made_by = 3 << 8 | 20;   // Unix
constexpr std::uint16_t first_day = 1 << 5 | 1;  // 1980-01-01
constexpr std::uint32_t attributes = 0100644u << 16;

void put16(std::string& out, std::uint32_t value) {
  out += static_cast<char>(value & 0xff);
  out += static_cast<char>(value >> 8 & 0xff);
}

void put32(std::string& out, std::uint32_t value) {
  put16(out, value & 0xffff);
  put16(out, value >> 16);
}

std::uint32_t get(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint32_t value = 0;
  for (std::size_t i = size; i-- > 0;)
    value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

// Writes the part that both headers share: from the needed version to the length of extra fields.
void put_shared(std::string& out, const ZipEntry& entry) {
  put16(out, version);
  put16(out, 0);  // flags
  put16(out, static_cast<std::uint16_t>(entry.method));
  put16(out, 0);  // midnight
  put16(out, first_day);
  put32(out, entry.crc);
  put32(out, static_cast<std::uint32_t>(entry.packed.size()));
  put32(out, entry.size);
  put16(out, static_cast<std::uint32_t>(entry.name.size()));
  put16(out, 0);  // extra fields
}

std::string local_header(const ZipEntry& entry) {
  std::string out;
  put32(out, local_mark);
  put_shared(out, entry);
  return out + entry.name;
}

std::string central_header(const ZipEntry& entry, std::size_t offset) {
  std::string out;
  put32(out, central_mark);
  put16(out, made_by);
  put_shared(out, entry);
  put16(out, 0);  // comment
  put16(out, 0);  // disk
  put16(out, 0);  // internal attributes
  put32(out, attributes);
  put32(out, static_cast<std::uint32_t>(offset));
  return out + entry.name;
}

std::string end_record(std::size_t count, std::size_t size, std::size_t offset) {
  std::string out;
  put32(out, end_mark);
  put16(out, 0);  // disk
  put16(out, 0);  // disk of the directory
  put16(out, static_cast<std::uint32_t>(count));
  put16(out, static_cast<std::uint32_t>(count));
  put32(out, static_cast<std::uint32_t>(size));
  put32(out, static_cast<std::uint32_t>(offset));
  put16(out, 0);  // comment
  return out;
}

// A field of the central header that has one value in a package.
struct FixedField {
  std::size_t at;
  std::size_t size;
  std::uint32_t value;
  const char* otherwise;
};

constexpr FixedField fixed_fields[] = {
    {8, 2, 0, "It is encrypted, or has a data descriptor or another flag."},
    {4, 2, made_by, "It says that another kind of system made it."},
    {6, 2, version, "It needs another version of the format, such as zip64."},
    {12, 2, 0, "Its time is not the one that every file of a package has."},
    {14, 2, first_day, "Its date is not the one that every file of a package has."},
    {30, 2, 0, "It has extra fields."},
    {32, 2, 0, "It has a comment."},
    {34, 2, 0, "It lies on another disk."},
    {36, 2, 0, "It has internal attributes."},
    {38, 4, attributes, "It is no plain file of mode 0644: a link, a folder or a device."},
};

constexpr const char* made_elsewhere = " Only \"tenon plugin pack\" makes packages.";

class Reader {
 public:
  Reader(std::string_view archive, const std::string& file) : archive_(archive), file_(file) {}

  std::vector<ZipEntry> read() {
    if (archive_.size() > PackageLimits::packed) {
      refuse_size("The package is larger than " +
                      std::to_string(PackageLimits::packed / (1024 * 1024)) + " MiB.",
                  file_);
    }
    read_end();
    std::vector<ZipEntry> entries;
    while (entries.size() < count_)
      entries.push_back(read_entry(entries.size()));
    if (at_ != directory_)
      refuse_form("There are bytes between the last file and the directory.", file_);
    if (central_ != archive_.size() - end_bytes)
      refuse_form("There are bytes between the directory and its end.", file_);
    return entries;
  }

 private:
  void read_end() {
    constexpr const char* no_end =
        "This is not a Tenon package, or it is damaged. Download it again.";
    if (archive_.size() < end_bytes) refuse_form(no_end, file_);
    const std::string_view end = archive_.substr(archive_.size() - end_bytes);
    count_ = get(end, 10, 2);
    directory_ = get(end, 16, 4);
    central_ = directory_;
    if (end != end_record(count_, get(end, 12, 4), directory_)) refuse_form(no_end, file_);
    if (directory_ > archive_.size() - end_bytes ||
        get(end, 12, 4) != archive_.size() - end_bytes - directory_) {
      refuse_form("Its directory does not lie where its end says.", file_);
    }
    // FILES and SIGNATURE are not counted.
    if (count_ > PackageLimits::files + 2)
      refuse_size("There are more than " + std::to_string(PackageLimits::files) + " files.", file_);
  }

  ZipEntry read_entry(std::size_t index) {
    const std::string location = "entry " + std::to_string(index + 1);
    const std::string_view rest = archive_.substr(central_, archive_.size() - end_bytes - central_);
    if (rest.size() < central_bytes || get(rest, 0, 4) != central_mark)
      refuse_form("The directory is cut off or damaged here.", file_, location);
    for (const FixedField& field : fixed_fields) {
      if (get(rest, field.at, field.size) != field.value)
        refuse_form(std::string(field.otherwise) + made_elsewhere, file_, location);
    }
    ZipEntry entry;
    const std::size_t name_bytes = get(rest, 28, 2);
    if (name_bytes > PackageLimits::name || name_bytes > rest.size() - central_bytes)
      refuse_form("Its name is too long.", file_, location);
    entry.name = rest.substr(central_bytes, name_bytes);
    const std::uint32_t method = get(rest, 10, 2);
    const std::size_t packed = get(rest, 20, 4);
    entry.method = static_cast<ZipMethod>(method);
    entry.crc = get(rest, 16, 4);
    entry.size = get(rest, 24, 4);
    const bool is_stored = entry.method == ZipMethod::stored && packed == entry.size;
    const bool is_deflated = entry.method == ZipMethod::deflated && packed < entry.size;
    if (!is_stored && !is_deflated) {
      refuse_form("It is neither stored as it is nor deflated to fewer bytes.", file_, location);
    }
    if (get(rest, 42, 4) != at_)
      refuse_form("It does not begin where the one before it ends.", file_, location);
    central_ += central_bytes + name_bytes;
    read_local(entry, packed, location);
    return entry;
  }

  void read_local(ZipEntry& entry, std::size_t packed, const std::string& location) {
    const std::size_t header = local_bytes + entry.name.size();
    if (header + packed > directory_ - at_)
      refuse_form("It reaches beyond the directory.", file_, location);
    entry.packed = archive_.substr(at_ + header, packed);
    if (archive_.substr(at_, header) != local_header(entry)) {
      refuse_form("Its header is not the one that the directory has.", file_, location);
    }
    at_ += header + packed;
  }

  std::string_view archive_;
  const std::string& file_;
  std::size_t count_ = 0;
  std::size_t directory_ = 0;
  std::size_t at_ = 0;       // where the next local header begins
  std::size_t central_ = 0;  // where the next header of the directory begins
};

}  // namespace

std::uint32_t crc_of(std::string_view content) noexcept {
  return static_cast<std::uint32_t>(
      ::crc32_z(0, reinterpret_cast<const Bytef*>(content.data()), content.size()));
}

ZipEntry stored_entry(std::string_view name, std::string_view content) {
  return {std::string(name), ZipMethod::stored, crc_of(content),
          static_cast<std::uint32_t>(content.size()), content};
}

std::string write_zip(std::span<const ZipEntry> entries) {
  std::string out;
  std::string directory;
  for (const ZipEntry& entry : entries) {
    directory += central_header(entry, out.size());
    out += local_header(entry);
    out += entry.packed;
  }
  const std::size_t offset = out.size();
  out += directory;
  return out + end_record(entries.size(), directory.size(), offset);
}

std::vector<ZipEntry> read_zip(std::string_view archive, const std::string& file) {
  return Reader(archive, file).read();
}

}  // namespace tenon::plugins
