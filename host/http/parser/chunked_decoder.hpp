#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

namespace tenon::http {

/// Decodes a chunked request body (RFC 9112, section 7.1), strictly. Chunk extensions and trailer
/// fields are checked and dropped.
class ChunkedDecoder {
 public:
  ChunkedDecoder();
  ~ChunkedDecoder();
  ChunkedDecoder(ChunkedDecoder&&) noexcept;
  ChunkedDecoder& operator=(ChunkedDecoder&&) noexcept;

  struct Step {
    std::size_t consumed = 0;  ///< bytes of the input that are done with; 0 means: call again with
                               ///< the same bytes and more
    std::string_view data;     ///< a piece of the body inside the input, may be empty
    bool is_complete = false;
    bool has_failed = false;  ///< bad syntax, or something beyond `max_line`
  };
  /// Most bytes of a chunk's line, and of the last one's together with the trailer.
  static constexpr std::size_t max_line = 4096;

  /// Takes one step; call it until it is complete, has failed or consumes nothing.
  Step next(std::string_view input);

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace tenon::http
