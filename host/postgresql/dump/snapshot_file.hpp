#pragma once

#include <cstdint>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "data/files/atomic_file_writer.hpp"
#include "postgresql/schema/schema_dump.hpp"

namespace tenon::data::postgresql {

/// The position of the rows of a table in a snapshot.
struct StoredRows {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  std::int64_t rows = 0;
  std::string digest;  ///< BLAKE2b of the bytes, hexadecimal
};

/// Describes the schema of a snapshot.
struct StoredSchema {
  std::string schema;
  std::string plugin;
  std::string version;   ///< of the plugin; empty: nothing was applied
  int migration = 0;     ///< the last one that ran; 0: none did
  std::string declared;  ///< its tables as they were applied; empty: none
  SchemaDump dump;
  std::vector<StoredRows> rows;  ///< of each of dump.tables
};

/// A file with one schema:
///
///   "tenon schema 1\n"
///   the rows of each table, as COPY … (FORMAT binary) gives them
///   all else as JSON
///   where that begins, and its digest: a line of fixed length, by which a file is known to be
///   whole
///
/// Written under another name and put in its place when it is whole. Throws as AtomicFileWriter
/// does.
class SnapshotWriter {
 public:
  explicit SnapshotWriter(const std::string& path);
  ~SnapshotWriter();
  SnapshotWriter(const SnapshotWriter&) = delete;
  SnapshotWriter& operator=(const SnapshotWriter&) = delete;

  void begin_rows();
  void write(std::string_view bytes);
  StoredRows end_rows(std::int64_t rows);
  std::uint64_t written() const noexcept;
  /// Syncs the file and renames it to its path; returns its bytes.
  std::uint64_t finish(const StoredSchema& schema);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Throws 409 data.snapshot_refused for what is no such file, or not whole.
class SnapshotReader {
 public:
  explicit SnapshotReader(const std::string& path);

  /// Whether the file begins as one of these; false where there is none.
  static bool is_one(const std::string& path);

  const StoredSchema& schema() const noexcept { return schema_; }
  std::uint64_t bytes() const noexcept { return bytes_; }
  /// Begins to read the rows of the table `number`.
  void begin_rows(std::size_t number);
  /// The next piece; empty at the end, which throws where the bytes are not those that were
  /// written. Good until the next call.
  std::string_view next();

 private:
  [[noreturn]] void refuse(const std::string& why) const;
  void read(std::uint64_t offset, char* to, std::size_t size);

  const std::string path_;
  std::ifstream file_;
  std::uint64_t bytes_ = 0;
  StoredSchema schema_;
  std::vector<char> piece_;
  std::uint64_t left_ = 0;
  std::string expected_;
  struct Digest;
  std::shared_ptr<Digest> digest_;
};

}  // namespace tenon::data::postgresql
