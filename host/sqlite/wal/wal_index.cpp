#include "sqlite/wal/wal_index.hpp"

#include <cstddef>

#include <sqlite3.h>

namespace tenon::data::sqlite {

namespace {

// SQLite maps the index in pieces of this size; the header is at the start of the first one.
constexpr int index_region_bytes = 32'768;
// Offsets in the first copy of the header, which SQLite writes after the second one: its size, the
// number of pages in the WAL and, after both copies, the number of pages copied into the file.
constexpr std::size_t header_bytes = 48;
constexpr std::size_t pages_at = 16;
constexpr std::size_t copied_pages_at = 96;

// Others write what is read here. Acquired: what is read of the file afterwards is at least as new.
template <typename Word>
Word load(const std::byte* from) noexcept {
  return __atomic_load_n(reinterpret_cast<const Word*>(from), __ATOMIC_ACQUIRE);
}

}  // namespace

bool WalIndex::open(sqlite3* db) noexcept {
  sqlite3_file* file = nullptr;
  if (sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, static_cast<void*>(&file)) !=
          SQLITE_OK ||
      !file || !file->pMethods || file->pMethods->iVersion < 2 || !file->pMethods->xShmMap)
    return false;
  void volatile* piece = nullptr;
  if (file->pMethods->xShmMap(file, 0, index_region_bytes, 0, &piece) != SQLITE_OK || !piece)
    return false;
  index_ = static_cast<const std::byte*>(const_cast<const void*>(piece));
  return true;
}

WalIndex::Version WalIndex::version() const noexcept {
  Version version;
  static_assert(sizeof version.words == header_bytes);
  for (std::size_t i = 0; i < version.words.size(); ++i)
    version.words[i] = load<std::uint64_t>(index_ + i * sizeof version.words[i]);
  // Read while it was written, it may be neither the old nor the new one; then it is equal to none
  // that follows, for the header holds its own checksum.
  return version;
}

std::uint32_t WalIndex::pages() const noexcept {
  return load<std::uint32_t>(index_ + pages_at);
}

bool WalIndex::is_copied() const noexcept {
  return load<std::uint32_t>(index_ + copied_pages_at) == pages();
}

}  // namespace tenon::data::sqlite
