// Numbers in falling order, for pairs of runs by the hundred thousand.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace poolwise {

// Sorts numbers of which most have different magnitudes: each goes where those of its size belong, and
// the few of one size are sorted there.
class FallingSort {
 public:
  void sort(std::vector<double>& numbers, std::size_t count) {
    constexpr std::size_t kFew = 32;
    const auto end = numbers.begin() + static_cast<std::ptrdiff_t>(count);
    if (count < kFew) return std::sort(numbers.begin(), end, std::greater<>());
    place(numbers.data(), count);
    auto from = sorted_.begin();
    for (std::size_t bucket = 0; bucket < ends_.size(); ++bucket) {
      const auto to = sorted_.begin() + static_cast<std::ptrdiff_t>(ends_[bucket]);
      if (to - from > 1) std::sort(from, to, std::greater<>());
      from = to;
    }
    std::copy_n(sorted_.begin(), count, numbers.begin());
  }

 private:
  // A power of two has eight buckets. Numbers beyond 2⁴ share the outermost, and those within 2⁻²⁰ of 0
  // the innermost.
  static constexpr int kShift = 52 - 3;
  static constexpr std::uint64_t kSmallest = (1023 - 20) << 3, kSizes = 24 << 3;

  static std::size_t bucket(double number) {
    const auto bits = std::bit_cast<std::uint64_t>(number);
    const std::uint64_t size = std::clamp(bits << 1 >> (kShift + 1), kSmallest, kSmallest + kSizes - 1);
    return bits >> 63 ? kSizes + (size - kSmallest) : kSizes - 1 - (size - kSmallest);
  }

  void place(const double* numbers, std::size_t count) {
    if (sorted_.size() < count) sorted_.resize(count);
    ends_.fill(0);
    for (std::size_t k = 0; k < count; ++k) ++ends_[bucket(numbers[k])];
    std::size_t start = 0;
    for (std::size_t& end : ends_) start += std::exchange(end, start);
    for (std::size_t k = 0; k < count; ++k) sorted_[ends_[bucket(numbers[k])]++] = numbers[k];
  }

  std::vector<double> sorted_;
  std::array<std::size_t, 2 * kSizes> ends_;
};

}  // namespace poolwise
