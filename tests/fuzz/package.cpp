// A package and its parts. The first line says what the rest is: "archive", bytes of a package;
// "files", lines "name=content" that are packed here; "list", FILES; "signature", SIGNATURE;
// "public" and "secret", keys.

#include <algorithm>

#include "packages/archive/archive.hpp"
#include "packages/archive/deflate.hpp"
#include "packages/archive/limits.hpp"
#include "packages/archive/names.hpp"
#include "packages/reason.hpp"
#include "packages/signature/keys.hpp"
#include "property.hpp"

namespace {

using namespace tenon::plugins;

const std::string file = "x.tenon";

bool is_known(const std::string& code) {
  return code.starts_with("plugins.package_") || code.starts_with("plugins.signature_");
}

void check_names(const std::vector<ListedFile>& files) {
  NameSet names;
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < files.size(); ++i) {
    TENON_HOLDS(fault_of_name(files[i].name).empty());
    TENON_HOLDS(names.add(files[i].name).empty());
    TENON_HOLDS(i == 0 || files[i - 1].name < files[i].name);
    TENON_HOLDS(files[i].name.front() != '/');
    TENON_HOLDS(("/" + files[i].name + "/").find("/../") == std::string::npos);
    sum += files[i].size;
  }
  TENON_HOLDS(!files.empty() && files.size() <= PackageLimits::files);
  TENON_HOLDS(sum <= PackageLimits::unpacked);
}

// There is one text of a list.
void check_list(std::string_view text) {
  const auto files = parse_file_list(text, file);
  check_names(files);
  TENON_HOLDS(write_file_list(files) == text);
}

void check_signature_text(std::string_view text) {
  const Signature signature = parse_signature(text, file);
  TENON_HOLDS(signature.to_text() == text);
}

// There is one form of an archive: what its entries give is what was read.
void check_archive(std::string_view bytes) {
  const Archive archive(std::string(bytes), file);
  check_names(archive.files());
  TENON_HOLDS(write_file_list(archive.files()) == archive.list_text());
  TENON_HOLDS(write_zip(read_zip(bytes, file)) == bytes);
  if (archive.signature()) TENON_HOLDS(archive.with_signature(*archive.signature()) == bytes);
  const Contents contents = Contents::unchecked(archive);
  for (const ListedFile& listed : archive.files()) {
    try {
      const std::string content = contents.read(listed.name, listed.size);
      TENON_HOLDS(content.size() == listed.size && hash_of(content) == listed.hash);
    } catch (const Refusal& refusal) {
      TENON_HOLDS(refusal.code() == "plugins.package_damaged");
    }
  }
}

// Names and contents of any form, packed as they come, sorted as a package has them.
void check_files(std::string_view text) {
  struct Packed {
    std::string name;
    std::string content;
    DeflatedContent deflated;
  };
  std::vector<Packed> packed;
  while (!text.empty()) {
    const std::string_view line = tenon::fuzz::take_line(text);
    const std::size_t equals = std::min(line.find('='), line.size());
    std::string content(line.substr(std::min(equals + 1, line.size())));
    DeflatedContent deflated = deflate_content(content);
    TENON_HOLDS(deflated.method == ZipMethod::stored ? deflated.bytes == content
                                                     : deflated.bytes.size() < content.size());
    packed.push_back(
        {std::string(line.substr(0, equals)), std::move(content), std::move(deflated)});
  }
  std::stable_sort(packed.begin(), packed.end(),
                   [](const Packed& left, const Packed& right) { return left.name < right.name; });
  std::vector<ListedFile> files;
  NameSet names;
  bool is_good = !packed.empty();
  for (const Packed& one : packed) {
    files.push_back({one.name, one.content.size(), hash_of(one.content)});
    is_good = is_good && fault_of_name(one.name).empty() && names.add(one.name).empty();
  }
  const std::string list = write_file_list(files);
  std::vector<ZipEntry> entries{stored_entry(list_name, list)};
  for (const Packed& one : packed) {
    entries.push_back({one.name, one.deflated.method, crc_of(one.content),
                       static_cast<std::uint32_t>(one.content.size()), one.deflated.bytes});
  }
  const std::string bytes = write_zip(entries);
  bool is_taken = false;
  try {
    const Archive archive(bytes, file);
    is_taken = true;
    const Contents contents = Contents::unchecked(archive);
    for (const Packed& one : packed)
      TENON_HOLDS(contents.read(one.name, one.content.size()) == one.content);
  } catch (const Refusal& refusal) {
    TENON_HOLDS(is_known(refusal.code()));
  }
  TENON_HOLDS(is_taken == is_good);
}

void check_secret(std::string_view text) {
  // To try a password takes long, and its cost is checked first.
  if (is_encrypted_key(text, file)) return;
  const SecretKey key = read_secret_key(text, "", file);
  const SecretKey again = read_secret_key(write_secret_key(key, ""), "", file);
  TENON_HOLDS(again.key == key.key && again.number == key.number);
}

void check_public(std::string_view text) {
  const PublicKey key = read_public_key(text, file);
  const PublicKey again = read_public_key(key.to_text(), file);
  TENON_HOLDS(again.key == key.key && again.number == key.number);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text = tenon::fuzz::text_of(data, size);
  const std::string_view kind = tenon::fuzz::take_line(text);
  const tenon::fuzz::Piece piece(text);
  try {
    if (kind == "archive") check_archive(piece.get());
    if (kind == "files") check_files(piece.get());
    if (kind == "list") check_list(piece.get());
    if (kind == "signature") check_signature_text(piece.get());
    if (kind == "public") check_public(piece.get());
    if (kind == "secret") check_secret(piece.get());
  } catch (const Refusal& refusal) {
    TENON_HOLDS(is_known(refusal.code()));
    TENON_HOLDS(refusal.reason().file == file);
  }
  return 0;
}
