// The best rank that any run gives each of a topic's documents without a grade.
//
// A slot is one number, since many runs of many topics fill the memory with slots: the upper bits of
// a document's hash and, in as many bits as the topic's longest list needs, its rank. Documents that
// share those bits of their hashes count as one. Of n documents, two do with odds of n² to
// 2^(65 − bits of a rank): of 15,000 with lists of 1000, one in 10^8; of 200,000 with lists of
// 10,000, one in 50,000.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "buffer.hpp"
#include "compiler.hpp"

namespace poolwise {

class BestRanks {
 public:
  // Makes room for the ranks of a list.
  void admit(std::size_t length) {
    if (length > last_) rebuild(slots_.size(), all_bits_up_to(length));
  }

  // Ranks count from 1; the list was admitted.
  void put(std::uint64_t hash, std::uint64_t rank) {
    if (count_ * 4 >= slots_.size() * 3) rebuild(std::max<std::size_t>(64, slots_.size() * 2), last_);
    const std::uint64_t word = (hash | last_) - rank + 1;
    std::uint64_t& slot = slots_[place_of(word)];
    count_ += slot == 0;
    slot = std::max(slot, word);
  }
  void prefetch(std::uint64_t hash) const { poolwise::prefetch(slots_.data() + first_slot(hash)); }

  // Adds to each rank, the first at 0, the documents that have it as their best.
  template <class Count>
  void count(Count* documents) const {
    for (const std::uint64_t slot : slots_) {
      if (slot) ++documents[rank_of(slot) - 1];
    }
  }
  void release() { slots_.release(); }

 private:
  // A better rank is a larger number, so that 0 is left for an empty slot.
  std::uint64_t rank_of(std::uint64_t word) const { return last_ - (word & last_) + 1; }

  static std::uint64_t all_bits_up_to(std::size_t length) {
    std::uint64_t bits = kFewRanks;
    while (bits < length) bits = 2 * bits + 1;
    return bits;
  }

  // In the order of hashes, so that rebuilding goes through both tables from end to end.
  std::size_t first_slot(std::uint64_t word) const { return ((word >> 32) * slots_.size()) >> 32; }
  // Where a document is, or would come.
  std::size_t place_of(std::uint64_t word) const {
    std::size_t at = first_slot(word);
    while (slots_[at] != 0 && (slots_[at] ^ word) > last_) {
      if (++at == slots_.size()) at = 0;
    }
    return at;
  }

  void rebuild(std::size_t size, std::uint64_t last) {
    BestRanks rebuilt;
    rebuilt.slots_ = Buffer<std::uint64_t>::zeros(size);
    rebuilt.last_ = last;
    for (const std::uint64_t slot : slots_) {
      if (slot) rebuilt.put(slot, rank_of(slot));
    }
    *this = std::move(rebuilt);
  }

  static constexpr std::uint64_t kFewRanks = (1 << 10) - 1;  // as many as most lists have

  Buffer<std::uint64_t> slots_;
  std::uint64_t last_ = kFewRanks;  // rank, and the bits that ranks take
  std::size_t count_ = 0;           // documents
};

}  // namespace poolwise
