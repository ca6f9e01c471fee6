// Bytes taken several at a time, as numbers.
#pragma once

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

// Up to eight bytes as a big-endian number, padded with zeros: it compares as the bytes do.
inline std::uint64_t big_endian(const char* at, std::size_t length) {
  if (length >= 8) return reversed_bytes(load_8(at));
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < length; ++i) {
    word |= std::uint64_t{static_cast<unsigned char>(at[i])} << (56 - 8 * i);
  }
  return word;
}

// The last bytes of an id in one word: up to eight, some twice where they are fewer.
inline std::uint64_t last_word(std::string_view id) {
  const char* end = id.data() + id.size();
  if (id.size() >= 8) return load_8(end - 8);
  if (id.size() >= 4) return std::uint64_t{load_4(id.data())} << 32 | load_4(end - 4);
  if (id.empty()) return 0;
  const auto byte = [&](std::size_t i) { return std::uint64_t{static_cast<unsigned char>(id[i])}; };
  return byte(0) << 16 | byte(id.size() / 2) << 8 | byte(id.size() - 1);
}

// Compares in words: for ids of up to 16 bytes, as most are, without a call.
inline bool same(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  if (a.size() > 16) return a == b;
  if (last_word(a) != last_word(b)) return false;
  return a.size() <= 8 || load_8(a.data()) == load_8(b.data());
}

}  // namespace poolwise
