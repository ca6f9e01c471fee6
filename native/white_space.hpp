// Where white space is among the next bytes, a bit for each, so that the ends of fields are found by
// counting zeros.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "bytes.hpp"

#if defined(POOLWISE_SSE2)
#include <immintrin.h>
#endif

namespace poolwise {

inline bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// White space, and line feeds, among 64 bytes.
struct SpaceBits {
  std::uint64_t space, feed;
};
// Fills words of 64 bits; false where there is a NUL.
using FindSpaces = bool (*)(const char* at, std::size_t words, std::uint64_t* space, std::uint64_t* feed);

// A bit for each byte of a word that is in a range; the highest of each byte tells.
inline std::uint64_t bytes_in_range(std::uint64_t word, std::uint64_t from, std::uint64_t past) {
  constexpr std::uint64_t kOnes = 0x0101010101010101, kHighest = 0x8080808080808080;
  const std::uint64_t low = word & ~kHighest;
  const std::uint64_t found = (low + (128 - from) * kOnes) & ~(low + (128 - past) * kOnes) & ~word & kHighest;
  return (found >> 7) * 0x0102040810204080 >> 56;
}

inline bool find_spaces(const char* at, std::size_t words, std::uint64_t* space, std::uint64_t* feed) {
  std::uint64_t nuls = 0;
  for (std::size_t i = 0; i < words; ++i) {
    space[i] = feed[i] = 0;
    for (std::size_t byte = 0; byte < 64; byte += 8) {
      const std::uint64_t word = little_endian_8(at + 64 * i + byte);
      space[i] |= (bytes_in_range(word, '\t', '\r' + 1) | bytes_in_range(word, ' ', ' ' + 1)) << byte;
      feed[i] |= bytes_in_range(word, '\n', '\n' + 1) << byte;
      nuls |= bytes_in_range(word, 0, 1);
    }
  }
  return nuls == 0;
}

#if defined(POOLWISE_SSE2)
inline SpaceBits spaces_of(__m128i bytes) {
  const __m128i past_tab = _mm_sub_epi8(bytes, _mm_set1_epi8('\t'));
  const __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(past_tab, _mm_set1_epi8(4)), past_tab);
  const __m128i blank = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(' '));
  const auto bits = [](__m128i chosen) {
    return std::uint64_t{static_cast<std::uint32_t>(_mm_movemask_epi8(chosen))};
  };
  return {bits(_mm_or_si128(control, blank)), bits(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('\n')))};
}
inline bool find_spaces_sse2(const char* at, std::size_t words, std::uint64_t* space,
                             std::uint64_t* feed) {
  __m128i least = _mm_set1_epi8(-1);
  for (std::size_t i = 0; i < words; ++i) {
    space[i] = feed[i] = 0;
    for (int byte = 0; byte < 64; byte += 16, at += 16) {
      const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
      const SpaceBits found = spaces_of(bytes);
      least = _mm_min_epu8(least, bytes);
      space[i] |= found.space << byte;
      feed[i] |= found.feed << byte;
    }
  }
  return _mm_movemask_epi8(_mm_cmpeq_epi8(least, _mm_setzero_si128())) == 0;
}
#endif

#if defined(POOLWISE_AVX2)
POOLWISE_FOR_AVX2 inline SpaceBits spaces_of(__m256i bytes) {
  const __m256i past_tab = _mm256_sub_epi8(bytes, _mm256_set1_epi8('\t'));
  const __m256i control = _mm256_cmpeq_epi8(_mm256_min_epu8(past_tab, _mm256_set1_epi8(4)), past_tab);
  const __m256i blank = _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(' '));
  const __m256i feed = _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8('\n'));
  return {static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_or_si256(control, blank))),
          static_cast<std::uint32_t>(_mm256_movemask_epi8(feed))};
}
POOLWISE_FOR_AVX2 inline bool find_spaces_avx2(const char* at, std::size_t words, std::uint64_t* space,
                                              std::uint64_t* feed) {
  __m256i least = _mm256_set1_epi8(-1);
  for (std::size_t i = 0; i < words; ++i, at += 64) {
    const __m256i first = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
    const __m256i last = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at + 32));
    const SpaceBits low = spaces_of(first), high = spaces_of(last);
    least = _mm256_min_epu8(least, _mm256_min_epu8(first, last));
    space[i] = low.space | high.space << 32;
    feed[i] = low.feed | high.feed << 32;
  }
  return _mm256_movemask_epi8(_mm256_cmpeq_epi8(least, _mm256_setzero_si256())) == 0;
}
#endif

// The fastest way that this processor has.
inline FindSpaces best_way_to_find_spaces() {
#if defined(POOLWISE_AVX2)
  if (has_avx2()) return find_spaces_avx2;
#endif
#if defined(POOLWISE_SSE2)
  return find_spaces_sse2;
#else
  return find_spaces;
#endif
}
inline const FindSpaces best_find_spaces = best_way_to_find_spaces();

// The white space of some thousand bytes from where one looks.
class WhiteSpace {
 public:
  // Other bytes stand where the last ones did.
  void forget() { size_ = 0; }
  bool starts_at(const char* at) const { return size_ > 0 && at == begin_; }

  // False where there is nothing to look at, or a NUL.
  bool look(const char* at, const char* end) {
    const std::size_t words = std::min(static_cast<std::size_t>(end - at) / 64, kWords);
    const bool is_text = best_find_spaces(at, words, space_.data(), feed_.data());
    space_[words] = feed_[words] = 0;
    begin_ = at;
    size_ = is_text ? 64 * words : 0;
    return size_ > 0;
  }

  // Where the line ends that starts here; null where that is not among the bytes looked at.
  POOLWISE_INLINE const char* line_end(const char* at) const {
    const auto from = static_cast<std::size_t>(at - begin_);
    if (from >= size_) return nullptr;
    if (const std::uint64_t feeds = window(feed_, from)) return at + std::countr_zero(feeds);
    for (std::size_t i = from / 64 + 1; 64 * i < size_; ++i) {
      if (feed_[i]) return begin_ + 64 * i + std::countr_zero(feed_[i]);
    }
    return nullptr;
  }

  // The next 64 bytes from here, of bytes looked at.
  POOLWISE_INLINE std::uint64_t spaces(const char* at) const {
    return window(space_, static_cast<std::size_t>(at - begin_));
  }

  // Where the next white space is, and the next byte that is none; the end of the line, or past it, where
  // there is none before.
  const char* next_space(const char* at, const char* end) const { return next(at, end, 0); }
  const char* next_word(const char* at, const char* end) const { return next(at, end, ~std::uint64_t{0}); }

 private:
  // The next byte whose bit is not that of `passed`.
  const char* next(const char* at, const char* end, std::uint64_t passed) const {
    for (; at < end; at += 64) {
      if (const std::uint64_t found = spaces(at) ^ passed) return at + std::countr_zero(found);
    }
    return end;
  }

  static constexpr std::size_t kWords = 128;  // the bytes stay in the processor's first cache
  using Bits = std::array<std::uint64_t, kWords + 1>;

  POOLWISE_INLINE static std::uint64_t window(const Bits& bits, std::size_t from) {
    const std::size_t i = from / 64, by = from % 64;
    return bits[i] >> by | bits[i + 1] << 1 << (63 - by);
  }

  const char* begin_ = nullptr;
  std::size_t size_ = 0;
  Bits space_, feed_;
};

}  // namespace poolwise
