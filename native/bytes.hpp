// Bytes taken several at a time, as numbers.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "compiler.hpp"

namespace poolwise {

inline std::uint64_t load_8(const char* at) {
  std::uint64_t word;
  std::memcpy(&word, at, 8);
  return word;
}
inline std::uint32_t load_4(const char* at) {
  std::uint32_t word;
  std::memcpy(&word, at, 4);
  return word;
}

// Eight bytes as a number of which the first is the lowest.
inline std::uint64_t little_endian_8(const char* at) {
  const std::uint64_t word = load_8(at);
  return std::endian::native == std::endian::little ? word : reversed_bytes(word);
}

// Up to eight bytes as a big-endian number, padded with zeros: it compares as the bytes do.
inline std::uint64_t big_endian(const char* at, std::size_t length) {
  if (length >= 8) return reversed_bytes(load_8(at));
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < length; ++i) {
    word |= std::uint64_t{static_cast<unsigned char>(at[i])} << (56 - 8 * i);
  }
  return word;
}

// An id, and up to sixteen of its bytes in two words: all of a short one, padded with zeros, and the
// first and the last of a long one.
struct Id {
  std::string_view text;
  std::uint64_t first = 0, last = 0;

  explicit Id(std::string_view id) : text(id) {
    if (!is_short()) {
      take_ends(id);
      return;
    }
    std::array<char, kShort> bytes{};
    std::copy(id.begin(), id.end(), bytes.begin());
    take_ends({bytes.data(), kShort});
  }

  Id(std::string_view id, std::uint64_t its_first, std::uint64_t its_last)
      : text(id), first(its_first), last(its_last) {}

  // The same of one that has sixteen readable bytes from its first on.
  POOLWISE_INLINE static Id readable(std::string_view id) {
    const char* at = id.data();
    if (id.size() > kShort) return {id, load_8(at), load_8(at + id.size() - 8)};
    const char* kept = kBytesKept.data() + kShort - id.size();
    return {id, load_8(at) & load_8(kept), load_8(at + 8) & load_8(kept + 8)};
  }

  bool is_short() const { return text.size() <= kShort; }
  POOLWISE_INLINE friend bool operator==(const Id& a, const Id& b) {
    return a.first == b.first && a.last == b.last && a.text.size() == b.text.size() &&
           (a.is_short() || a.text == b.text);
  }

 private:
  void take_ends(std::string_view bytes) {
    first = load_8(bytes.data());
    last = load_8(bytes.data() + bytes.size() - 8);
  }

  static constexpr std::size_t kShort = 16;
  // Sixteen bytes that keep what they are joined with, and sixteen that do not.
  static constexpr std::array<char, 2 * kShort> kBytesKept = [] {
    std::array<char, 2 * kShort> bytes{};
    for (std::size_t i = 0; i < kShort; ++i) bytes[i] = static_cast<char>(-1);
    return bytes;
  }();
};

}  // namespace poolwise
