#pragma once

#include <string_view>
#include <vector>

#include "data/cursor.hpp"

namespace tenon::data {

/// Implements a Cursor for an engine. Its calls are those of Cursor.
class CursorSource {
 public:
  CursorSource() = default;
  virtual ~CursorSource() = default;
  CursorSource(const CursorSource&) = delete;
  CursorSource& operator=(const CursorSource&) = delete;

  virtual const Batch& next() = 0;
  virtual void close() noexcept = 0;

  std::vector<std::string_view> names;  ///< of the columns
  Batch batch;                          ///< the last one
};

}  // namespace tenon::data
