// What compilers call by names of their own: GCC and Clang on the one hand, MSVC on the other.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
#include <stdlib.h>
#define POOLWISE_RESTRICT __restrict
#define POOLWISE_INLINE __forceinline
#define POOLWISE_UNROLL
#else
#define POOLWISE_RESTRICT __restrict__
#define POOLWISE_INLINE inline __attribute__((always_inline))
#define POOLWISE_UNROLL _Pragma("GCC unroll 8")
#endif

#if defined(_WIN32)
#define EXPORT extern "C" __declspec(dllexport)
#else
#define EXPORT extern "C" __attribute__((visibility("default")))
#endif

// MSVC does not say so, and every processor of 64 bits has it.
#if defined(__SSE2__) || defined(_M_X64)
#define POOLWISE_SSE2
#endif

// Functions may be compiled for processors that have more than all of their kind.
#if defined(__x86_64__) && defined(__GNUC__)
#define POOLWISE_AVX2
#define POOLWISE_FOR_AVX2 __attribute__((target("avx2,bmi,bmi2")))
#else
#define POOLWISE_FOR_AVX2
#endif

// Compiled twice, where the loader can choose: with the wider registers that most processors have.
// They round as the others do, so that the numbers are the same.
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(POOLWISE_SANITIZED)
#define POOLWISE_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define POOLWISE_WIDE
#endif

// Registers that hold several words, which a function may use that is called where the processor has
// them: of GCC and Clang, on processors by Intel and AMD.
#if defined(__GNUC__) && defined(__x86_64__) && !defined(_WIN32)
#define POOLWISE_VECTORS
#define POOLWISE_VECTOR(bytes) __attribute__((vector_size(bytes)))
#define POOLWISE_FOR(target_name) __attribute__((target(target_name)))
#define POOLWISE_HAS(target_name) __builtin_cpu_supports(target_name)
#endif

namespace poolwise {

// How many doubles the wider registers hold.
constexpr std::size_t kLanes = 4;

// The bytes of a word in the opposite order.
inline std::uint64_t reversed_bytes(std::uint64_t word) {
#if defined(_MSC_VER) && !defined(__clang__)
  return _byteswap_uint64(word);
#else
  return __builtin_bswap64(word);
#endif
}
inline std::uint32_t reversed_bytes(std::uint32_t word) {
#if defined(_MSC_VER) && !defined(__clang__)
  return _byteswap_ulong(word);
#else
  return __builtin_bswap32(word);
#endif
}

// Whether the processor has what POOLWISE_FOR_AVX2 asks for.
inline bool has_avx2() {
#if defined(POOLWISE_AVX2)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
#else
  return false;
#endif
}

// Asks for memory ahead of its use.
inline void prefetch(const void* at) {
#if !defined(_MSC_VER) || defined(__clang__)
  __builtin_prefetch(at);
#elif defined(_M_X64)
  _mm_prefetch(static_cast<const char*>(at), _MM_HINT_T0);
#else
  static_cast<void>(at);
#endif
}

// Both halves of a product of 128 bits, one folded onto the other.
inline std::uint64_t folded_product(std::uint64_t number, std::uint64_t factor) {
#if defined(__SIZEOF_INT128__)
  __extension__ using Wide = unsigned __int128;
  const Wide product = Wide{number} * factor;
  return static_cast<std::uint64_t>(product >> 64) ^ static_cast<std::uint64_t>(product);
#elif defined(_M_X64)
  std::uint64_t high;
  const std::uint64_t low = _umul128(number, factor, &high);
  return high ^ low;
#elif defined(_M_ARM64)
  return __umulh(number, factor) ^ (number * factor);
#else
  // By halves, as one multiplies on paper: for processors of 32 bits.
  constexpr std::uint64_t kLow = 0xFFFFFFFF;
  const std::uint64_t low = (number & kLow) * (factor & kLow);
  const std::uint64_t first = (number >> 32) * (factor & kLow) + (low >> 32);
  const std::uint64_t second = (number & kLow) * (factor >> 32) + (first & kLow);
  const std::uint64_t high = (number >> 32) * (factor >> 32) + (first >> 32) + (second >> 32);
  return high ^ (number * factor);
#endif
}

}  // namespace poolwise
