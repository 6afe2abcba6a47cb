#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "http/parser/refusal.hpp"

namespace tenon::http {

/// Bounds of a multipart body; the README of this room names the response beyond each. The route's
/// limit bounds the length of the data.
struct MultipartLimits {
  std::size_t parts = 64;
  std::size_t part_head = 4 * 1024;  ///< bytes of a part's header fields with their empty line
  std::size_t name = 100;            ///< bytes of a field's name
  std::size_t file_name = 255;       ///< bytes

  static constexpr std::size_t boundary = 70;  ///< bytes (RFC 2046, section 5.1.1)
};

/// The head of a part. Both names are valid UTF-8 without control characters, and as the client
/// sent them: a file name may hold "..", slashes and anything else that a person or an attacker
/// types. The views live during the call that gives them.
struct PartHead {
  std::string_view name;          ///< never empty
  std::string_view file_name;     ///< empty where none is given
  std::string_view content_type;  ///< as sent; empty where none is given
  bool has_file_name = false;     ///< a file, also one that was not chosen (an empty name)
};

/// Takes the parts of a body in their order: on_part, any number of on_data, on_part_end, and so
/// on.
class PartSink {
 public:
  virtual ~PartSink() = default;
  virtual void on_part(const PartHead& head) = 0;
  /// A piece of the part's data, never empty; how the data is cut says nothing.
  virtual void on_data(std::string_view bytes) = 0;
  /// The part is whole.
  virtual void on_part_end() = 0;
};

/// Takes the boundary out of a Content-Type value. Null when it is multipart/form-data with exactly
/// one good boundary: 1…70 of the characters of RFC 2046, section 5.1.1, the last no space.
const Refusal* read_boundary(std::string_view content_type, std::string& boundary);

/// Reads a multipart/form-data body (RFC 7578) while it arrives, in pieces of any size, and passes
/// the data on without copying it. Strict: no preamble, no epilogue, no white space after a
/// boundary, CR LF at every line's end, no folded lines, no coding of the data; of parameters only
/// `name` and `filename` are looked at, each at most once. In a quoted value \" means a quote, and
/// any other backslash means itself; percent signs are left as they are, for browsers do not say
/// which they made. Keeps at most one part's head. Not thread-safe.
class MultipartParser {
 public:
  /// `boundary` as read_boundary gives it. The sink must outlive the parser; what it throws goes
  /// to the caller of feed(), and the parser must not be used after that.
  MultipartParser(std::string_view boundary, PartSink& sink, const MultipartLimits& limits = {});

  /// Takes the next bytes. Null when all is well; once refused, always refused.
  const Refusal* feed(std::string_view bytes);
  /// Says that no more bytes come. Null when the body was whole.
  const Refusal* finish();

 private:
  enum class State : std::uint8_t {
    data,           // of a part, or in front of the first one
    boundary_end,   // after a boundary: CR LF or "--"
    boundary_cr,    // its CR has come
    boundary_dash,  // its first dash has come
    head,           // header fields of a part
    end,            // after the last boundary: nothing, or CR LF
    end_cr,         // the CR of that has come
    closed,         // nothing may come any more
  };

  void refuse(const Refusal& refusal) noexcept { refusal_ = &refusal; }
  void feed_data(std::string_view& bytes);
  void feed_head(std::string_view& bytes);
  void feed_byte(char byte);
  void begin_part();
  void give(std::string_view bytes);

  // CR LF, two dashes, the boundary.
  std::string delimiter_;
  PartSink& sink_;
  MultipartLimits limits_;
  State state_ = State::data;
  std::size_t matched_;  // bytes of the delimiter that have come
  std::size_t unsent_;   // of these at the beginning, what never came: the end of a line above
  std::size_t parts_ = 0;
  std::string head_;
  const Refusal* refusal_ = nullptr;
};

}  // namespace tenon::http
