#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace tenon::data::sqlite {

/// The number of a table's search index in its file, of its name; 31 bits.
std::uint32_t search_number(std::string_view table) noexcept;

/// How many words records have, of those that were found last in the search indexes of one file:
/// FTS5 keeps a record's length in a table of its own, and to look there for each match takes half
/// of a search. Fixed room: who comes to a taken place takes it over. Any thread, without locks. A
/// length may be that of a moment ago, beside the commit that changes it; then a rank is a little
/// off, and nothing else.
class SearchLengths {
 public:
  static constexpr std::size_t places = std::size_t{1} << 16;  ///< 512 KiB, once they are used
  static constexpr std::uint32_t longest = (1U << 24) - 1;     ///< words; longer ones count as this

  /// A record of an index.
  struct Key {
    std::uint32_t index = 0;  ///< search_number()
    std::int64_t rowid = 0;
  };

  SearchLengths() noexcept;

  /// Words; -1: not known.
  int find(Key key) const noexcept;
  void keep(Key key, int words) noexcept;
  void forget(Key key) noexcept;
  void forget_all() noexcept;

 private:
  struct Free {
    void operator()(std::uint64_t* memory) const noexcept;
  };
  std::atomic_ref<std::uint64_t> place(std::uint64_t hash) const noexcept {
    return std::atomic_ref(places_.get()[hash % places]);
  }

  // Of a place, 40 bits of a key's hash and 24 of the length; 0: empty. Null: there was no memory.
  const std::unique_ptr<std::uint64_t[], Free> places_;
  std::atomic<bool> has_some_{false};
};

}  // namespace tenon::data::sqlite
