// Ids as 64-bit numbers, by a function that differs from process to process.
#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <random>
#include <string_view>

#include "bytes.hpp"

namespace poolwise {

// What nobody can know who writes a file, lest its ids be chosen to crowd in our tables.
struct Secret {
  std::uint64_t start, factor;
};

inline std::uint64_t drawn(std::random_device& source) {
  return std::uint64_t{source()} << 32 | source();
}
inline Secret drawn_secret() {
  try {
    std::random_device source;
    return {drawn(source), drawn(source) | 1};
  } catch (const std::exception&) {  // a system without a source of chance
    const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
    std::mt19937_64 source(static_cast<std::uint64_t>(now));
    return {source(), source() | 1};
  }
}

// Chosen when the library is loaded. No result depends on it, which the fuzzer tries.
inline Secret secret = drawn_secret();

// Whatever bit of a number is turned over, nobody who does not know the factor can tell which bits of
// the folded product will be.

// Two ids share a hash with odds of about 1 to 2^64.
POOLWISE_INLINE std::uint64_t hash_of(const Id& id) {
  const auto [start, factor] = secret;
  std::uint64_t hash = start;
  if (!id.is_short()) {
    hash ^= id.text.size() * factor;
    // What is between the ends, which overlaps them.
    for (std::size_t at = 8; at + 8 < id.text.size(); at += 8) {
      hash = folded_product(hash ^ load_8(id.text.data() + at), factor);
    }
  }
  return folded_product(folded_product(hash ^ id.first, factor) ^ id.last, factor);
}

}  // namespace poolwise
