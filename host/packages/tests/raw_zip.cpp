#include "packages/tests/raw_zip.hpp"

#include <sodium.h>
#include <zlib.h>

namespace tenon::plugins::test {

namespace {

std::string number(std::uint32_t value, int size) {
  std::string out;
  for (int i = 0; i < size; ++i)
    out += static_cast<char>(value >> (8 * i) & 0xff);
  return out;
}

std::uint32_t length(const std::string& text) {
  return static_cast<std::uint32_t>(text.size());
}

std::uint32_t checksum(const std::string& content) {
  return static_cast<std::uint32_t>(
      crc32(0, reinterpret_cast<const Bytef*>(content.data()), length(content)));
}

std::string local(const RawEntry& entry) {
  const std::string name = entry.local_name.value_or(entry.name);
  return "PK\3\4" + number(entry.needed, 2) + number(entry.flags, 2) + number(entry.method, 2) +
         number(entry.time, 2) + number(entry.date, 2) +
         number(entry.local_crc.value_or(entry.crc), 4) +
         number(entry.packed_size.value_or(length(entry.packed)), 4) +
         number(entry.local_size.value_or(entry.size), 4) + number(length(name), 2) +
         number(length(entry.local_extra), 2) + name + entry.local_extra + entry.packed +
         entry.trailing;
}

std::string central(const RawEntry& entry, std::uint32_t offset) {
  return "PK\1\2" + number(entry.made_by, 2) + number(entry.needed, 2) + number(entry.flags, 2) +
         number(entry.method, 2) + number(entry.time, 2) + number(entry.date, 2) +
         number(entry.crc, 4) + number(entry.packed_size.value_or(length(entry.packed)), 4) +
         number(entry.size, 4) + number(length(entry.name), 2) + number(length(entry.extra), 2) +
         number(length(entry.comment), 2) + number(0, 2) + number(entry.internal, 2) +
         number(entry.attributes, 4) + number(entry.offset.value_or(offset), 4) + entry.name +
         entry.extra + entry.comment;
}

}  // namespace

std::string bytes_of(const RawZip& zip) {
  std::string out = zip.before;
  std::string directory;
  for (const RawEntry& entry : zip.entries) {
    directory += central(entry, length(out));
    out += local(entry);
  }
  out += zip.between;
  const std::uint32_t offset = zip.directory.value_or(length(out));
  const std::uint32_t count = zip.count.value_or(static_cast<std::uint32_t>(zip.entries.size()));
  out += directory + zip.after_directory;
  return out + "PK\5\6" + number(0, 4) + number(count, 2) + number(count, 2) +
         number(length(directory) + length(zip.after_directory), 4) + number(offset, 4) +
         number(length(zip.comment), 2) + zip.comment + zip.trailing;
}

RawEntry stored(const std::string& name, const std::string& content) {
  return {.name = name, .packed = content, .crc = checksum(content), .size = length(content)};
}

RawEntry deflated(const std::string& name, const std::string& content) {
  RawEntry entry = stored(name, content);
  entry.method = 8;
  entry.packed.assign(content.size() + 1024, '\0');
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  stream.avail_in = length(content);
  stream.next_out = reinterpret_cast<Bytef*>(entry.packed.data());
  stream.avail_out = length(entry.packed);
  deflate(&stream, Z_FINISH);
  entry.packed.resize(stream.total_out);
  deflateEnd(&stream);
  return entry;
}

std::string list_line(const std::string& name, const std::string& content) {
  unsigned char hash[64];
  crypto_generichash(hash, sizeof hash, reinterpret_cast<const unsigned char*>(content.data()),
                     content.size(), nullptr, 0);
  char hex[2 * sizeof hash + 1];
  sodium_bin2hex(hex, sizeof hex, hash, sizeof hash);
  return std::to_string(content.size()) + " " + hex + " " + name + "\n";
}

RawZip package_of(const std::vector<RawFile>& files) {
  std::string list = "tenon-package 1\n";
  RawZip zip;
  zip.entries.emplace_back();
  for (const RawFile& file : files) {
    list += list_line(file.name, file.content);
    RawEntry entry = deflated(file.name, file.content);
    zip.entries.push_back(
        entry.packed.size() < file.content.size() ? entry : stored(file.name, file.content));
  }
  return with_list(zip, list);
}

RawZip with_list(RawZip zip, const std::string& list) {
  zip.entries.at(0) = stored("FILES", list);
  return zip;
}

}  // namespace tenon::plugins::test
