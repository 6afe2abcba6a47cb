#include "postgresql/dump/snapshot_file.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <span>

#include <sodium.h>

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/json_writer.hpp"

namespace tenon::data::postgresql {

namespace {

constexpr std::string_view magic = "tenon schema 1\n";
constexpr std::string_view end_mark = "\ntenon end ";
constexpr std::size_t number_digits = 16;
constexpr std::size_t digest_bytes = 32;
constexpr std::size_t end_bytes = end_mark.size() + number_digits + 1 + 2 * digest_bytes + 1;

/// BLAKE2b of what is added.
class Hash {
 public:
  Hash() { crypto_generichash_init(&state_, nullptr, 0, digest_bytes); }
  void add(std::string_view bytes) {
    crypto_generichash_update(&state_, reinterpret_cast<const unsigned char*>(bytes.data()),
                              bytes.size());
  }
  std::string text() {
    std::array<unsigned char, digest_bytes> digest{};
    crypto_generichash_final(&state_, digest.data(), digest.size());
    std::array<char, 2 * digest_bytes + 1> text{};
    sodium_bin2hex(text.data(), text.size(), digest.data(), digest.size());
    return text.data();
  }

 private:
  crypto_generichash_state state_{};
};

std::string digest_of(std::string_view bytes) {
  Hash hash;
  hash.add(bytes);
  return hash.text();
}

void write_texts(base::JsonWriter& json, std::string_view name,
                 const std::vector<std::string>& texts) {
  json.key(name).begin_array();
  for (const std::string& text : texts)
    json.value(text);
  json.end_array();
}

std::string to_json(const StoredSchema& stored) {
  std::string text;
  base::JsonWriter json(text);
  const SchemaDump& all = stored.dump;
  json.begin_object()
      .member("schema", stored.schema)
      .member("plugin", stored.plugin)
      .member("version", stored.version)
      .member("migration", stored.migration)
      .member("declared", stored.declared);
  write_texts(json, "before", all.before);
  json.key("tables").begin_array();
  for (std::size_t i = 0; i < all.tables.size(); ++i) {
    json.begin_object()
        .member("name", all.tables[i].name)
        .member("has_rowid", all.tables[i].has_rowid)
        .member("offset", stored.rows[i].offset)
        .member("bytes", stored.rows[i].bytes)
        .member("rows", stored.rows[i].rows)
        .member("digest", stored.rows[i].digest);
    write_texts(json, "columns", all.tables[i].columns);
    write_texts(json, "types", all.tables[i].types);
    json.end_object();
  }
  json.end_array();
  write_texts(json, "after", all.after);
  json.key("rights").begin_array();
  for (const DumpedRights& one : all.rights)
    json.begin_object().member("object", one.object).member("rights", one.rights).end_object();
  json.end_array();
  write_texts(json, "things", all.objects);
  json.end_object();
  return text;
}

std::vector<std::string> read_texts(const Poco::JSON::Object& object, const std::string& name) {
  std::vector<std::string> texts;
  const auto array = object.getArray(name);
  for (std::size_t i = 0; i < array->size(); ++i)
    texts.push_back(array->getElement<std::string>(static_cast<unsigned int>(i)));
  return texts;
}

StoredSchema from_json(std::string_view text) {
  constexpr std::size_t max_bytes = std::size_t{256} * 1024 * 1024;
  const auto object = base::parse_json_object(text, {.max_bytes = max_bytes});
  StoredSchema stored;
  stored.schema = object->getValue<std::string>("schema");
  stored.plugin = object->getValue<std::string>("plugin");
  stored.version = object->getValue<std::string>("version");
  stored.migration = object->getValue<int>("migration");
  stored.declared = object->getValue<std::string>("declared");
  SchemaDump& all = stored.dump;
  all.before = read_texts(*object, "before");
  const auto tables = object->getArray("tables");
  for (std::size_t i = 0; i < tables->size(); ++i) {
    const auto one = tables->getObject(static_cast<unsigned int>(i));
    all.tables.push_back({one->getValue<std::string>("name"), read_texts(*one, "columns"),
                          read_texts(*one, "types"), one->getValue<bool>("has_rowid")});
    stored.rows.push_back(
        {one->getValue<std::uint64_t>("offset"), one->getValue<std::uint64_t>("bytes"),
         one->getValue<std::int64_t>("rows"), one->getValue<std::string>("digest")});
  }
  all.after = read_texts(*object, "after");
  const auto rights = object->getArray("rights");
  for (std::size_t i = 0; i < rights->size(); ++i) {
    const auto one = rights->getObject(static_cast<unsigned int>(i));
    all.rights.push_back(
        {one->getValue<std::string>("object"), one->getValue<std::string>("rights")});
  }
  all.objects = read_texts(*object, "things");
  return stored;
}

}  // namespace

struct SnapshotWriter::State {
  explicit State(const std::string& path) : position(path), file(path + ".part", 0) {}

  void flush() {
    file.write(std::span<const char>(pending.data(), pending.size()));
    pending.clear();
  }
  void add(std::string_view bytes) {
    pending.append(bytes);
    written += bytes.size();
    if (pending.size() >= copied_at_once) flush();
  }

  const std::string position;
  AtomicFileWriter file;
  std::string pending;
  std::uint64_t written = 0;
  std::uint64_t begun = 0;
  Hash hash;
};

SnapshotWriter::SnapshotWriter(const std::string& path) : state_(std::make_unique<State>(path)) {
  state_->add(magic);
}

SnapshotWriter::~SnapshotWriter() = default;

std::uint64_t SnapshotWriter::written() const noexcept {
  return state_->written;
}

void SnapshotWriter::begin_rows() {
  state_->begun = state_->written;
  state_->hash = Hash();
}

void SnapshotWriter::write(std::string_view bytes) {
  state_->hash.add(bytes);
  state_->add(bytes);
}

StoredRows SnapshotWriter::end_rows(std::int64_t rows) {
  return {state_->begun, state_->written - state_->begun, rows, state_->hash.text()};
}

std::uint64_t SnapshotWriter::finish(const StoredSchema& schema) {
  const std::string json = to_json(schema);
  std::array<char, number_digits + 1> position{};
  std::snprintf(position.data(), position.size(), "%016llx",
                static_cast<unsigned long long>(state_->written));
  state_->add(json);
  state_->add(std::string(end_mark) + position.data() + " " + digest_of(json) + "\n");
  state_->flush();
  state_->file.commit(state_->position, false);
  return state_->written;
}

struct SnapshotReader::Digest {
  Hash hash;
};

void SnapshotReader::refuse(const std::string& why) const {
  throw base::Error(409, "data.snapshot_refused",
                    path_ + " is no snapshot of a schema of PostgreSQL: " + why + ".");
}

bool SnapshotReader::is_one(const std::string& path) {
  std::array<char, magic.size()> head{};
  std::ifstream(path, std::ios::binary).read(head.data(), head.size());
  return std::string_view(head.data(), head.size()) == magic;
}

SnapshotReader::SnapshotReader(const std::string& path)
    : path_(path), file_(path, std::ios::binary) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) refuse("there is no such file");
  bytes_ = std::filesystem::file_size(path);
  if (!is_one(path)) refuse("it begins otherwise");
  if (bytes_ < magic.size() + end_bytes) refuse("it is not whole");
  std::string end(end_bytes, '\0');
  read(bytes_ - end_bytes, end.data(), end.size());
  const std::string_view digits = std::string_view(end).substr(end_mark.size(), number_digits);
  std::uint64_t position = 0;
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), position, 16);
  if (!end.starts_with(end_mark) || parsed.ec != std::errc() || position < magic.size() ||
      position > bytes_ - end_bytes)
    refuse("it is not whole");
  std::string json(bytes_ - end_bytes - position, '\0');
  read(position, json.data(), json.size());
  if (digest_of(json) != end.substr(end_mark.size() + number_digits + 1, 2 * digest_bytes))
    refuse("it is damaged");
  try {
    schema_ = from_json(json);
  } catch (const Poco::Exception& failure) {
    refuse("it says " + failure.displayText());
  }
}

void SnapshotReader::read(std::uint64_t offset, char* to, std::size_t size) {
  file_.clear();
  file_.seekg(static_cast<std::streamoff>(offset));
  file_.read(to, static_cast<std::streamsize>(size));
  if (static_cast<std::size_t>(file_.gcount()) != size) refuse("it cannot be read to its end");
}

void SnapshotReader::begin_rows(std::size_t number) {
  const StoredRows& rows = schema_.rows[number];
  left_ = rows.bytes;
  expected_ = rows.digest;
  digest_ = std::make_shared<Digest>();
  file_.clear();
  file_.seekg(static_cast<std::streamoff>(rows.offset));
}

std::string_view SnapshotReader::next() {
  if (left_ == 0) {
    if (digest_ && digest_->hash.text() != expected_) refuse("its rows are damaged");
    digest_.reset();
    return {};
  }
  piece_.resize(copied_at_once);
  const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(left_, piece_.size()));
  file_.read(piece_.data(), static_cast<std::streamsize>(size));
  if (static_cast<std::size_t>(file_.gcount()) != size) refuse("it cannot be read to its end");
  left_ -= size;
  const std::string_view bytes(piece_.data(), size);
  digest_->hash.add(bytes);
  return bytes;
}

}  // namespace tenon::data::postgresql
