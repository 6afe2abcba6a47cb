#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/json_slice.hpp"
#include "records/transfer/export_text.hpp"

namespace tenon::records {

/// The kind of jobs that import.
inline constexpr std::string_view import_kind = "records.import";

/// An import as it was asked for, and as its job keeps it.
struct ImportRequest {
  std::string id;  ///< of the import; not of its job
  std::string table;
  std::string user;
  std::string blob;
  std::string claim;  ///< of the blob
  TransferFormat format = TransferFormat::csv;
  std::string key;  ///< as parse_key() takes it; empty: records are made and not changed
  bool is_dry_run = false;
  bool is_all_or_nothing = false;
  std::map<std::string, std::string> mapping;  ///< name in the file → field; empty: left out

  std::string to_json() const;
  /// Reads the output of to_json(). Throws 422 records.bad_import for anything else.
  static ImportRequest from_json(std::string_view json);
};

/// The body of a request to import: the request with its file.
struct ImportBody {
  ImportRequest request;
  std::string upload;
  std::string text;
  bool has_text = false;
};

/// Reads the body of a request. Throws 422 records.bad_import that names the member.
ImportBody read_import(const base::JsonSlice& body);

}  // namespace tenon::records
