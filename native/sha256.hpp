// SHA-256 (FIPS 180-4) of several texts at the same time: one in each lane of a vector register. One
// after another they take several times as long, or half as long again where the processor has
// instructions for it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

#include "compiler.hpp"

#if defined(POOLWISE_VECTORS)
#define POOLWISE_SHA256_LANES
#include <cpuid.h>
#endif

namespace poolwise {

constexpr std::size_t kShaBlock = 64, kShaWords = 8;
constexpr std::size_t kMostLanes = 16;

#if defined(POOLWISE_SHA256_LANES)

constexpr std::array<std::uint32_t, 64> kShaRounds{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
constexpr std::array<std::uint32_t, kShaWords> kShaStart{0x6a09e667, 0xbb67ae85, 0x3c6ef372,
                                                         0xa54ff53a, 0x510e527f, 0x9b05688c,
                                                         0x1f83d9ab, 0x5be0cd19};

// What has been hashed so far of each text: a word of each lane, and then the next word.
using ShaState = std::array<std::array<std::uint32_t, kMostLanes>, kShaWords>;
// Where the next block of each text is.
using ShaBlocks = std::array<const unsigned char*, kMostLanes>;

template <std::size_t lanes>
struct Words {
  using Vector POOLWISE_VECTOR(4 * lanes) = std::uint32_t;
};
template <class Vector>
POOLWISE_INLINE void turn(Vector& to, const Vector& from, int a, int b, int c) {
  to = (from >> a | from << (32 - a)) ^ (from >> b | from << (32 - b)) ^ (from >> c | from << (32 - c));
}
template <class Vector>
POOLWISE_INLINE void turn_and_shift(Vector& to, const Vector& from, int a, int b, int c) {
  to = (from >> a | from << (32 - a)) ^ (from >> b | from << (32 - b)) ^ (from >> c);
}

template <std::size_t lanes>
POOLWISE_INLINE void hash_one_block(ShaState& state, const ShaBlocks& blocks, std::size_t offset) {
  using Vector = typename Words<lanes>::Vector;
  alignas(64) std::array<std::array<std::uint32_t, lanes>, 16> bytes;
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    for (std::size_t t = 0; t < 16; ++t) {
      std::uint32_t word;
      std::memcpy(&word, blocks[lane] + offset + 4 * t, 4);
      bytes[t][lane] = reversed_bytes(word);
    }
  }
  std::array<Vector, 16> words;
  std::memcpy(words.data(), bytes.data(), sizeof words);
  std::array<Vector, kShaWords> start, v;
  for (std::size_t i = 0; i < kShaWords; ++i) std::memcpy(&start[i], state[i].data(), sizeof(Vector));
  v = start;
  Vector one, other;
#pragma GCC unroll 64
  for (std::size_t t = 0; t < 64; ++t) {
    Vector& word = words[t % 16];
    if (t >= 16) {
      turn_and_shift(one, words[(t + 1) % 16], 7, 18, 3);
      turn_and_shift(other, words[(t + 14) % 16], 17, 19, 10);
      word += one + words[(t + 9) % 16] + other;
    }
    // The eight variables stay where they are, and their names move on.
    const auto at = [t](std::size_t name) { return (name + 64 - t) % 8; };
    Vector &a = v[at(0)], &b = v[at(1)], &c = v[at(2)], &d = v[at(3)];
    Vector &e = v[at(4)], &f = v[at(5)], &g = v[at(6)], &h = v[at(7)];
    turn(one, e, 6, 11, 25);
    h += one + (g ^ (e & (f ^ g))) + kShaRounds[t] + word;
    d += h;
    turn(other, a, 2, 13, 22);
    h += other + ((a & b) | (c & (a | b)));
  }
  for (std::size_t i = 0; i < kShaWords; ++i) {
    v[i] += start[i];
    std::memcpy(state[i].data(), &v[i], sizeof(Vector));
  }
}

POOLWISE_FOR("avx2") inline void hash_blocks_8(ShaState& state, const ShaBlocks& blocks, std::size_t size) {
  for (std::size_t at = 0; at < size; at += kShaBlock) hash_one_block<8>(state, blocks, at);
}
POOLWISE_FOR("avx512f") inline void hash_blocks_16(ShaState& state, const ShaBlocks& blocks, std::size_t size) {
  for (std::size_t at = 0; at < size; at += kShaBlock) hash_one_block<16>(state, blocks, at);
}

// Whether the processor has instructions for SHA-256.
inline bool hashes_by_itself() {
  constexpr unsigned kSha = 1u << 29;
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & kSha) != 0;
}
// How many texts can be hashed at the same time.
inline std::size_t lanes_to_hash() {
  return POOLWISE_HAS("avx512f") ? 16 : POOLWISE_HAS("avx2") ? 8 : 0;
}
// How many texts of one size take as long one after another as at the same time, as measured.
inline int texts_that_pay() {
  constexpr int kNever = std::numeric_limits<int>::max();
  if (!hashes_by_itself()) return 4;
  return lanes_to_hash() == kMostLanes ? 12 : kNever;
}

#endif

}  // namespace poolwise
