// Interned ids: bytes one after another, found again through a hash table; one set for each topic.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <mutex>
#include <new>
#include <numeric>
#include <string_view>
#include <vector>

#include "best_ranks.hpp"
#include "buffer.hpp"
#include "bytes.hpp"
#include "compiler.hpp"
#include "hash.hpp"
#include "order.hpp"

namespace poolwise {

// A set of ids; an id's code counts the ids before it in the order of arrival.
class IdSet {
 public:
  std::size_t size() const { return ends_.size(); }
  std::size_t bytes() const { return arena_.size(); }
  std::string_view operator[](std::size_t code) const {
    const std::uint32_t begin = code == 0 ? 0 : ends_[code - 1];
    return {arena_.data() + begin, ends_[code] - begin};
  }

  std::uint32_t intern(std::string_view id) { return intern(id, short_hash(id)); }

  // The half of a hash that slots keep.
  static std::uint32_t short_hash(std::string_view id) { return upper_half(hash_of(Id(id))); }
  static std::uint32_t upper_half(std::uint64_t hash) {
    return static_cast<std::uint32_t>(hash >> 32);
  }

  // The code of an id, −1 where it is not in the set.
  std::int64_t find(std::string_view id, std::uint32_t hash) const {
    return size() ? std::int64_t{slots_[place_of(id, hash)].place} - 1 : -1;
  }

  // A lookup touches three places, each found through the one before. With several lookups at
  // hand, asking for each place ahead of its use hides the wait for memory.
  void prefetch_slot(std::uint32_t hash) const {
    if (slots_.size()) prefetch(slots_.data() + first_slot(hash));
  }
  void prefetch_end(std::uint32_t hash) const {
    if (const std::uint32_t code = likely_code(hash)) prefetch(ends_.data() + code - 1);
  }
  void prefetch_id(std::uint32_t hash) const {
    if (const std::uint32_t code = likely_code(hash)) prefetch((*this)[code - 1].data());
  }

  std::uint32_t intern(std::string_view id, std::uint32_t hash) {
    if ((size() + 1) * 5 > slots_.size() * 3) rehash(size() * 3);
    Slot& slot = slots_[place_of(id, hash)];
    if (slot.place == 0) {
      if (arena_.size() + id.size() > UINT32_MAX) throw std::bad_alloc();
      arena_.append(id.data(), id.size());
      ends_.push(static_cast<std::uint32_t>(arena_.size()));
      slot = {static_cast<std::uint32_t>(size()), hash};
    }
    return slot.place - 1;
  }

  // Makes room for as many ids as are likely to come.
  void expect(std::size_t count) { rehash(count * 2); }

  // Gives back what only growing needs; the next intern makes it anew.
  void pack() {
    slots_.release();
    arena_.shrink();
    ends_.shrink();
  }
  void release() {
    slots_.release();
    arena_.release();
    ends_.release();
  }

  // Codes in byte order of their ids.
  std::vector<std::uint32_t> sorted() const {
    std::vector<Key> keys(size());
    for (std::size_t i = 0; i < size(); ++i) keys[i] = key_of(static_cast<std::uint32_t>(i));
    sort_by_prefix(keys);
    sort_equal_prefixes(keys);
    std::vector<std::uint32_t> codes(size());
    std::transform(keys.begin(), keys.end(), codes.begin(), [](const Key& k) { return k.code; });
    return codes;
  }

 private:
  // One more than the code, 0 where there is none; the hash tells most other ids apart.
  struct Slot {
    std::uint32_t place, hash;
  };
  static constexpr std::size_t kFewBytes = 8;

  // The first sixteen bytes of an id, as two numbers.
  struct Key {
    std::uint64_t high, low;
    std::uint32_t code;
    std::size_t byte(int i) const { return ((i < 8 ? low : high) >> (8 * (i % 8))) & 255; }
    bool same_prefix(const Key& other) const { return high == other.high && low == other.low; }
  };

  static void sort_by_prefix(std::vector<Key>& keys) {
    Key differing{0, 0, 0};
    for (const Key& key : keys) {
      differing.high |= key.high ^ keys[0].high;
      differing.low |= key.low ^ keys[0].low;
    }
    std::vector<int> bytes;
    for (int i = 0; i < 16; ++i) {
      if (differing.byte(i) != 0) bytes.push_back(i);
    }
    if (bytes.size() <= kFewBytes) return sort_by_bytes(keys, bytes);
    std::sort(keys.begin(), keys.end(), [](const Key& a, const Key& b) {
      return a.high != b.high ? a.high < b.high : a.low < b.low;
    });
  }

  // Sorts by one byte after another, the last first, since each pass keeps the order of the pass
  // before. Ids that are numbers differ in few bytes, and comparing them takes longer.
  static void sort_by_bytes(std::vector<Key>& keys, const std::vector<int>& bytes) {
    std::vector<Key> sorted(keys.size());
    for (const int i : bytes) {
      std::array<std::uint32_t, 257> start{};
      for (const Key& key : keys) ++start[key.byte(i) + 1];
      std::partial_sum(start.begin(), start.end(), start.begin());
      for (const Key& key : keys) sorted[start[key.byte(i)]++] = key;
      keys.swap(sorted);
    }
  }

  // Ids of more than sixteen bytes may differ behind them.
  void sort_equal_prefixes(std::vector<Key>& keys) const {
    sort_ties(
        keys.data(), keys.size(),
        [&](std::size_t i) { return keys[i].same_prefix(keys[i - 1]); },
        [this](const Key& a, const Key& b) { return (*this)[a.code] < (*this)[b.code]; });
  }

  Key key_of(std::uint32_t code) const {
    const std::string_view id = (*this)[code];
    const std::size_t past = std::min<std::size_t>(id.size(), 8);
    return {prefix(id.data(), id.size()), prefix(id.data() + past, id.size() - past), code};
  }
  // As big_endian, reading eight bytes at once wherever the arena has so many.
  std::uint64_t prefix(const char* at, std::size_t length) const {
    if (length == 0) return 0;
    const char* end = arena_.data() + arena_.size();
    if (length >= 8 || end - at < 8) return big_endian(at, length);
    return reversed_bytes(load_8(at)) & ~std::uint64_t{0} << (64 - 8 * length);
  }

  std::size_t first_slot(std::uint32_t hash) const {
    return (std::uint64_t{hash} * slots_.size()) >> 32;
  }
  std::uint32_t likely_code(std::uint32_t hash) const {
    if (slots_.size() == 0) return 0;
    return slots_[walk(hash, [&](const Slot& slot) { return slot.hash == hash; })].place;
  }
  // Where an id is, or would come.
  std::size_t place_of(std::string_view id, std::uint32_t hash) const {
    return walk(hash, [&](const Slot& slot) { return holds(slot, id, hash); });
  }
  // From the first slot of a hash to one that is found, or empty.
  template <class Found>
  std::size_t walk(std::uint32_t hash, Found found) const {
    std::size_t at = first_slot(hash);
    while (slots_[at].place != 0 && !found(slots_[at])) {
      if (++at == slots_.size()) at = 0;
    }
    return at;
  }
  bool holds(const Slot& slot, std::string_view id, std::uint32_t hash) const {
    return slot.hash == hash && (*this)[slot.place - 1] == id;
  }

  void rehash(std::size_t slots) {
    const std::size_t wanted = slots + 16;
    slots_.resize(wanted);
    std::memset(slots_.data(), 0, wanted * sizeof(Slot));
    for (std::size_t code = 0; code < size(); ++code) {
      const std::uint32_t hash = short_hash((*this)[code]);
      slots_[place_of((*this)[code], hash)] = {static_cast<std::uint32_t>(code + 1), hash};
    }
  }

  Buffer<char> arena_;
  Buffer<std::uint32_t> ends_;
  Buffer<Slot> slots_;
};

// The documents of a topic, shared by all inputs; whoever adds to them holds the mutex.
struct Topic {
  std::mutex mutex;
  IdSet documents;
  BestRanks best_ranks;  // where nothing but marks is kept, by several runs
  bool packed = false;  // once is enough: a topic that comes back may do so line by line
};

class Topics {
 public:
  explicit Topics(bool lone) : lone_(lone) {}

  std::uint32_t intern(std::string_view id) {
    const std::lock_guard guard(mutex_);
    const std::uint32_t code = ids_.intern(id);
    if (code == topics_.size()) topics_.emplace_back();
    return code;
  }
  Topic& at(std::uint32_t code) {
    const std::lock_guard guard(mutex_);
    return topics_[code];
  }
  const IdSet& ids() const { return ids_; }
  // Whether only one input is read, so that a topic that ends is unlikely to come back.
  bool lone() const { return lone_; }

 private:
  std::mutex mutex_;
  IdSet ids_;
  std::deque<Topic> topics_;
  bool lone_;
};

}  // namespace poolwise
