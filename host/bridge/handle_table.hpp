#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include <tenon/abi.h>

#include "base/asymmetric_fence.hpp"
#include "base/thread_slot.hpp"

namespace tenon::plugins {

/// The kind of object that a handle names; part of its number, so that kinds are never confused.
enum class HandleKind : std::uint8_t {
  request = 1,
  transaction = 2,
  cursor = 3,
  job = 4,
  record_write = 5,
  record_page = 6,
  blob_writer = 8,
  blob_reader = 9,
  service_call = 10
};

/// Which threads reuse a free slot.
enum class FreeSlots : std::uint8_t {
  shared,  ///< every thread
  cached   ///< a thread caches the slot that it released last for itself
};

/// Things that a plugin names by number. A handle is generation (40 bits), kind (4) and slot (20);
/// a slot's generation changes with each use, so a stale handle finds nothing. A lookup returns a
/// pin: a closed thing ends when its last pin is released, on that pin's thread. Looking up takes
/// no lock. Thread-safe; pins must not outlive the table.
///
/// Item::finish() runs once, when the item ends, and returns what is to be destroyed after the slot
/// was released.
///
/// With FreeSlots::cached, where things end on the thread that opened them, opening and ending
/// write nothing that another thread writes, and the one locked operation is Pin::end().
template <typename Item, FreeSlots free_slots = FreeSlots::shared>
class HandleTable {
  struct Slot;

 public:
  class Pin {
   public:
    Pin() = default;
    Pin(Pin&& other) noexcept
        : table_(other.table_), slot_(std::exchange(other.slot_, nullptr)), index_(other.index_) {}
    Pin& operator=(Pin&& other) noexcept {
      if (this != &other) {
        reset();
        table_ = other.table_;
        slot_ = std::exchange(other.slot_, nullptr);
        index_ = other.index_;
      }
      return *this;
    }
    ~Pin() { reset(); }

    explicit operator bool() const noexcept { return slot_ != nullptr; }
    Item& operator*() const noexcept { return slot_->item; }
    Item* operator->() const noexcept { return &slot_->item; }

    bool is_of(const HandleTable& table) const noexcept { return table_ == &table; }

    /// Makes the handle stale; the thing ends with its last pin. False if it was closed already.
    bool close() noexcept {
      return (slot_->word.fetch_or(closed, std::memory_order_acq_rel) & closed) == 0;
    }

    /// close() and reset() in one. If others hold pins, `share(Item&)` runs before this pin is
    /// released.
    template <typename Share>
    void end(Share&& share) noexcept {
      // Only pin: another thread can only get one by a lookup right now, and then this fails.
      std::uint64_t word = slot_->word.load(std::memory_order_relaxed);
      if ((word & pins) == 1 &&
          slot_->word.compare_exchange_strong(word, (word | closed) - 1, std::memory_order_acq_rel,
                                              std::memory_order_relaxed)) {
        table_->finish(*std::exchange(slot_, nullptr), index_);
        return;
      }
      share(slot_->item);
      close();
      reset();
    }

    void reset() noexcept {
      Slot* slot = std::exchange(slot_, nullptr);
      if (!slot) return;
      const std::uint64_t before = slot->word.fetch_sub(1, std::memory_order_acq_rel);
      if ((before & pins) == 1 && (before & closed)) table_->finish(*slot, index_);
    }

   private:
    friend class HandleTable;
    Pin(HandleTable* table, Slot* slot, std::uint32_t index) noexcept
        : table_(table), slot_(slot), index_(index) {}

    HandleTable* table_ = nullptr;
    Slot* slot_ = nullptr;
    std::uint32_t index_ = 0;
  };

  /// `seed` is where generations begin: different for every table, so that a handle of another
  /// activation is stale here. At most `capacity` things at once, rounded up to 64.
  HandleTable(HandleKind kind, std::uint32_t capacity, std::uint64_t seed)
      : kind_(kind),
        chunk_limit_((capacity + chunk_slots - 1) / chunk_slots),
        first_generation_((seed & generation_mask) | 1) {
    chunks_ = std::make_unique<std::atomic<Chunk*>[]>(chunk_limit_);
  }
  ~HandleTable() {
    for (std::uint32_t i = 0; i < chunk_count_.load(std::memory_order_relaxed); ++i)
      delete chunks_[i].load();
  }
  HandleTable(const HandleTable&) = delete;
  HandleTable& operator=(const HandleTable&) = delete;

  struct Opened {
    Pin pin;
    tenon_handle handle = 0;
  };
  /// Returns a fresh slot, pinned. `prepare(Item&)` runs before another thread can find it, on an
  /// item as finish() left it, and must not throw. Returns an empty pin if the table is full.
  template <typename Prepare>
  Opened open(Prepare&& prepare) {
    Opened opened = reuse(prepare);
    if (opened.pin) return opened;
    const std::optional<std::uint32_t> index = grow();
    return index ? begin(slot_at(*index), *index, prepare) : Opened{};
  }
  Opened open() {
    return open([](Item&) noexcept {});
  }
  /// Opens a slot as open() does, but returns an empty pin if slots would have to be allocated.
  template <typename Prepare>
  Opened reuse(Prepare&& prepare) noexcept {
    if (CachedSlot* mine = my_cached_slot(); mine != nullptr && mine->slot != nullptr) [[likely]]
      return begin(*std::exchange(mine->slot, nullptr), mine->index, prepare);
    return reuse_shared(prepare);
  }

  /// Returns an empty pin if the handle is stale, closed, or was never given.
  Pin pin(tenon_handle handle) noexcept {
    const auto index = static_cast<std::uint32_t>(handle & slot_mask);
    if (((handle >> kind_shift) & 0xf) != static_cast<std::uint64_t>(kind_)) return {};
    if (index >= chunk_count_.load(std::memory_order_acquire) * chunk_slots) return {};
    Slot& slot = slot_at(index);
    std::uint64_t word = slot.word.load(std::memory_order_relaxed);
    do {
      if ((word >> generation_shift) != (handle >> generation_shift) || (word & closed)) return {};
    } while (!slot.word.compare_exchange_weak(word, word + 1, std::memory_order_acquire,
                                              std::memory_order_relaxed));
    return Pin(this, &slot, index);
  }

  /// Calls `visit(Pin)` for everything that is open at that moment. Like size(), sequentially
  /// consistent with open(): a thread that sets a flag and then calls this knows that everything
  /// that it does not find sees the flag. Interrupts all threads.
  template <typename Visit>
  void for_each(Visit&& visit) {
    base::fence_all_threads();
    const std::uint32_t count = chunk_count_.load(std::memory_order_acquire) * chunk_slots;
    for (std::uint32_t index = 0; index < count; ++index) {
      Slot& slot = slot_at(index);
      const std::uint64_t word = slot.word.load(std::memory_order_seq_cst);
      if (word & closed) continue;
      Pin found = pin((word >> generation_shift) << generation_shift |
                      static_cast<std::uint64_t>(kind_) << kind_shift | index);
      if (found) visit(std::move(found));
    }
  }

  /// Returns the number of things that have not ended; reads every slot, and interrupts all
  /// threads.
  std::size_t size() noexcept {
    base::fence_all_threads();
    std::size_t count = 0;
    const std::uint32_t slots = chunk_count_.load(std::memory_order_seq_cst) * chunk_slots;
    for (std::uint32_t index = 0; index < slots; ++index) {
      const std::uint64_t word = slot_at(index).word.load(std::memory_order_seq_cst);
      if ((word & closed) == 0 || (word & pins) != 0) ++count;
    }
    return count;
  }

 private:
  static constexpr int generation_shift = 24;
  static constexpr int kind_shift = 20;
  static constexpr std::uint64_t generation_mask = (std::uint64_t{1} << 40) - 1;
  static constexpr std::uint64_t slot_mask = (std::uint64_t{1} << kind_shift) - 1;
  // Bits of a slot's word; the generation is above them.
  static constexpr std::uint64_t closed = std::uint64_t{1} << 23;
  static constexpr std::uint64_t pins = closed - 1;
  static constexpr std::uint32_t chunk_slots = 64;
  static constexpr std::uint32_t none = 0xffffffff;

  struct alignas(64) Slot {
    std::atomic<std::uint64_t> word{0};
    std::atomic<std::uint32_t> next{none};
    Item item;
  };
  using Chunk = std::array<Slot, chunk_slots>;

  // A stack of free slots. The upper half of its head counts, so that a slot that left and came
  // back is noticed.
  struct alignas(64) FreeList {
    std::atomic<std::uint64_t> head{none};
  };
  static constexpr std::size_t free_lists = 8;

  static std::size_t my_list() noexcept { return base::ThreadSlot::mine() % free_lists; }

  // A free slot that its thread alone knows of.
  struct alignas(64) CachedSlot {
    Slot* slot = nullptr;
    std::uint32_t index = none;
  };
  static constexpr std::size_t cached_slots =
      free_slots == FreeSlots::cached ? base::ThreadSlot::own : 0;

  // Null for a thread that shares its slot.
  CachedSlot* my_cached_slot() noexcept {
    const std::uint32_t thread = base::ThreadSlot::mine();
    return thread < cached_slots ? &cached_[thread] : nullptr;
  }

  Slot& slot_at(std::uint32_t index) noexcept {
    return (*chunks_[index / chunk_slots].load(std::memory_order_acquire))[index % chunk_slots];
  }

  template <typename Prepare>
  [[gnu::noinline]] Opened reuse_shared(Prepare& prepare) noexcept {
    const std::optional<std::uint32_t> index = take();
    return index ? begin(slot_at(*index), *index, prepare) : Opened{};
  }

  template <typename Prepare>
  Opened begin(Slot& slot, std::uint32_t index, Prepare& prepare) noexcept {
    prepare(slot.item);
    const std::uint64_t generation = slot.word.load(std::memory_order_relaxed) >> generation_shift;
    base::asymmetric_store(slot.word, generation << generation_shift | 1);
    return {Pin(this, &slot, index), generation << generation_shift |
                                         static_cast<std::uint64_t>(kind_) << kind_shift | index};
  }

  void finish(Slot& slot, std::uint32_t index) noexcept {
    [[maybe_unused]] auto rest = slot.item.finish();
    std::uint64_t generation =
        ((slot.word.load(std::memory_order_relaxed) >> generation_shift) + 1) & generation_mask;
    if (generation == 0) generation = 1;
    slot.word.store(generation << generation_shift | closed, std::memory_order_release);
    if (CachedSlot* mine = my_cached_slot(); mine != nullptr && mine->slot == nullptr) [[likely]]
      *mine = {&slot, index};
    else
      give(my_list(), index);
  }

  [[gnu::noinline]] void give(std::size_t list, std::uint32_t index) noexcept {
    std::atomic<std::uint64_t>& head = free_[list].head;
    std::uint64_t old = head.load(std::memory_order_relaxed);
    do {
      slot_at(index).next.store(static_cast<std::uint32_t>(old), std::memory_order_relaxed);
    } while (!head.compare_exchange_weak(old, ((old >> 32) + 1) << 32 | index,
                                         std::memory_order_release, std::memory_order_relaxed));
  }

  std::optional<std::uint32_t> take() noexcept {
    const std::size_t mine = my_list();
    for (std::size_t i = 0; i < free_lists; ++i) {
      std::atomic<std::uint64_t>& head = free_[(mine + i) % free_lists].head;
      std::uint64_t old = head.load(std::memory_order_acquire);
      while (static_cast<std::uint32_t>(old) != none) {
        const auto index = static_cast<std::uint32_t>(old);
        const std::uint32_t next = slot_at(index).next.load(std::memory_order_relaxed);
        if (head.compare_exchange_weak(old, ((old >> 32) + 1) << 32 | next,
                                       std::memory_order_acquire, std::memory_order_acquire)) {
          return index;
        }
      }
    }
    return std::nullopt;
  }

  std::optional<std::uint32_t> grow() {
    const std::lock_guard lock(growing_);
    if (const auto index = take()) return index;
    const std::uint32_t count = chunk_count_.load(std::memory_order_relaxed);
    if (count == chunk_limit_) return std::nullopt;
    auto chunk = std::make_unique<Chunk>();
    for (Slot& slot : *chunk)
      slot.word.store(first_generation_ << generation_shift | closed, std::memory_order_relaxed);
    chunks_[count].store(chunk.release(), std::memory_order_release);
    chunk_count_.store(count + 1, std::memory_order_release);
    const std::uint32_t first = count * chunk_slots;
    for (std::uint32_t i = chunk_slots - 1; i > 0; --i)
      give(my_list(), first + i);
    return first;
  }

  const HandleKind kind_;
  const std::uint32_t chunk_limit_;
  const std::uint64_t first_generation_;
  std::unique_ptr<std::atomic<Chunk*>[]> chunks_;
  std::atomic<std::uint32_t> chunk_count_{0};
  std::mutex growing_;
  std::array<FreeList, free_lists> free_;
  std::array<CachedSlot, cached_slots> cached_;
};

}  // namespace tenon::plugins
