// Lines into fields, fields into numbers.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "white_space.hpp"

namespace poolwise {

// Where a line's fields are. Columns count from 0; −1 is a column that the layout lacks.
struct Layout {
  int least, most;  // number of fields, most = 0 for any
  int topic, document, value, rank, tag;
  char separator;  // 0 is any run of white space
};

enum LayoutCode { kAuto, kTrec, kColumns, kTabs, kMemory };

constexpr Layout kTrecRun{6, 0, 0, 2, 4, 3, 5, 0};
constexpr Layout kThreeColumns{3, 3, 0, 1, 2, -1, -1, 0};
constexpr Layout kThreeColumnsTabs{3, 3, 0, 1, 2, -1, -1, '\t'};
constexpr Layout kMemoryRun{4, 4, 0, 1, 2, 3, -1, '\x1f'};
constexpr Layout kTrecQrels{4, 4, 0, 2, 3, -1, -1, 0};
constexpr Layout kMemoryQrels{3, 3, 0, 1, 2, -1, -1, '\x1f'};

constexpr std::size_t kMostFields = 7;  // one more than any layout reads: enough to count too many

// Where the fields of a line are. Offsets, since what is stored in halves and loaded as a whole, as a
// string_view would be, has to wait for the stores.
class Fields {
 public:
  explicit Fields(const char* line) : line_(line) {}
  const char* line() const { return line_; }
  int count() const { return count_; }
  std::string_view operator[](int i) const {
    const auto at = static_cast<std::size_t>(i);
    return {line_ + begin_[at], end_[at] - begin_[at]};
  }
  void add(std::size_t begin, std::size_t end) {
    begin_[static_cast<std::size_t>(count_)] = static_cast<std::uint32_t>(begin);
    end_[static_cast<std::size_t>(count_++)] = static_cast<std::uint32_t>(end);
  }

 private:
  const char* line_;
  int count_ = 0;
  std::array<std::uint32_t, kMostFields> begin_, end_;
};

// The fields of a line that is looked at, up to one more than the number that it has to have.
inline Fields split_looked_at(const WhiteSpace& white, const char* at, const char* end, int count) {
  Fields fields(at);
  for (const char* begin = at;; begin = at) {
    begin = white.next_word(begin, end);
    if (begin >= end || fields.count() > count) return fields;
    at = white.next_space(begin, end);
    fields.add(static_cast<std::size_t>(begin - fields.line()), static_cast<std::size_t>(at - fields.line()));
  }
}

// The same, of a line of fewer than 64 bytes in one go. False where it has fewer or more.
template <int count>
POOLWISE_INLINE bool split_common(const WhiteSpace& white, const char* at, const char* end, Fields& fields) {
  const auto length = static_cast<std::size_t>(end - at);
  if (length >= 64) {
    fields = split_looked_at(white, at, end, count);
    return fields.count() == count;
  }
  const std::uint64_t space = white.spaces(at), inside = (std::uint64_t{2} << length) - 1;
  std::uint64_t begins = ~space & (space << 1 | 1) & inside, ends = space & ~space << 1 & inside;
  POOLWISE_UNROLL
  for (int i = 1; i < count; ++i, begins &= begins - 1, ends &= ends - 1) {
    fields.add(static_cast<std::size_t>(std::countr_zero(begins)),
               static_cast<std::size_t>(std::countr_zero(ends)));
  }
  fields.add(static_cast<std::size_t>(std::countr_zero(begins)),
             static_cast<std::size_t>(std::countr_zero(ends)));
  return ends != 0 && (ends & (ends - 1)) == 0;
}

// Splits off up to `most` fields.
inline Fields split_spaces(std::string_view line, int most) {
  Fields fields(line.data());
  for (std::size_t at = 0; fields.count() < most;) {
    while (at != line.size() && is_space(line[at])) ++at;
    if (at == line.size()) break;
    const std::size_t begin = at;
    while (at != line.size() && !is_space(line[at])) ++at;
    fields.add(begin, at);
  }
  return fields;
}

inline Fields split_at(std::string_view line, int most, char separator) {
  Fields fields(line.data());
  for (std::size_t at = 0; fields.count() < most; ++at) {
    const std::size_t begin = at;
    while (at != line.size() && line[at] != separator) ++at;
    fields.add(begin, at);
    if (at == line.size()) break;
  }
  return fields;
}

inline Fields split(std::string_view line, const Layout& layout) {
  const int most = layout.most == 0 ? layout.least : layout.most + 1;
  return layout.separator == 0 ? split_spaces(line, most) : split_at(line, most, layout.separator);
}

inline std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 'a' - 'A' : c);
  return lower;
}

inline bool is_word_for_no_number(std::string_view text) {
  if (text.size() > 8) return false;
  const std::string lower = lower_case(text);
  return lower == "nan" || lower == "inf" || lower == "infinity";
}

// The general case, for what the fast paths leave, without a sign: exponents, many digits.
inline bool parse_any_number(std::string_view text, double& value) {
  value = std::nan("");
  if (is_word_for_no_number(text)) return true;
  const bool decimal = std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || c == '.' || c == 'e' || c == 'E' || c == '+' || c == '-';
  });
  if (text.empty() || !decimal || text[0] == '+' || text[0] == '-') return false;
#if defined(__cpp_lib_to_chars)
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::invalid_argument || rest != text.data() + text.size()) return false;
  if (error == std::errc()) return true;
#endif
  // from_chars does not say which way a number is out of range; strtod does (0 or infinite).
  const std::string copy(text);
  char* stop = nullptr;
  value = std::strtod(copy.c_str(), &stop);
  return stop == copy.c_str() + copy.size();
}

// Digits, perhaps with a point among them. Up to fifteen digits are exact as a double, as are the
// powers of ten up to 15, so that one division rounds right.
struct Decimal {
  std::uint64_t mantissa = 0;
  std::size_t decimals = 0;

  double value() const {
    static constexpr double kPowers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                         1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    return static_cast<double>(mantissa) / kPowers[decimals];
  }
};
constexpr std::size_t kMostDigits = 15, kLongestDecimal = kMostDigits + 1;

// False where there is more than digits and a point, or too many digits.
inline bool parse_decimal_slowly(std::string_view text, Decimal& found) {
  bool point = false;
  for (const char c : text) {
    if (c >= '0' && c <= '9') {
      found.mantissa = found.mantissa * 10 + static_cast<std::uint64_t>(c - '0');
      found.decimals += point;
    } else if (c == '.' && !point) {
      point = true;
    } else {
      return false;
    }
  }
  const std::size_t count = text.size() - point;
  return count >= 1 && count <= kMostDigits;
}

// The number that eight digits make, all at once: ones into pairs, fours and eight. The first is in the
// lowest byte.
POOLWISE_INLINE std::uint64_t joined_digits(std::uint64_t word) {
  constexpr std::uint64_t kEveryFourth = 0x000000FF000000FF;
  constexpr std::uint64_t kHundredAndMillion = 100 + (std::uint64_t{1000000} << 32);
  constexpr std::uint64_t kOneAndTenThousand = 1 + (std::uint64_t{10000} << 32);
  word = word * 10 + (word >> 8);
  return ((word & kEveryFourth) * kHundredAndMillion +
          (word >> 16 & kEveryFourth) * kOneAndTenThousand) >> 32;
}

// The highest bit of each byte that is no digit, of characters less '0', and perhaps of some behind it.
POOLWISE_INLINE std::uint64_t not_digits(std::uint64_t word) {
  return ((word + 0x7676767676767676) | word) & 0x8080808080808080;
}

// Takes the point away that is the one character that is no digit, and moves those before it behind
// it. False where it is no point, or not the only one.
POOLWISE_INLINE bool close_gap(std::uint64_t& word, std::uint64_t others, std::size_t& decimals) {
  const int at = std::countr_zero(others) / 8 * 8;
  const std::uint64_t before = (std::uint64_t{1} << at) - 1;
  if ((others & (others - 1)) || (word >> at & 255) != ('.' ^ '0')) return false;
  decimals += static_cast<std::size_t>(56 - at) / 8;
  word = (word & ~(before << 8 | 255)) | (word & before) << 8;
  return true;
}

// The same at once, of a text that has eight readable bytes from its first on.
POOLWISE_INLINE bool parse_decimal_at_once(std::string_view text, Decimal& found) {
  const std::size_t size = text.size();
  if (size == 0 || size > kLongestDecimal) return false;
  constexpr std::uint64_t kZeros = 0x3030303030303030;
  const std::uint64_t first = little_endian_8(text.data()) ^ kZeros;
  if (size <= 8) {
    std::uint64_t word = first << (64 - 8 * size);
    const std::uint64_t others = not_digits(word);
    if (others && (size == 1 || !close_gap(word, others, found.decimals))) return false;
    found.mantissa = joined_digits(word);
    return true;
  }
  // The last eight characters, and those before them.
  std::uint64_t low = little_endian_8(text.data() + size - 8) ^ kZeros, high = first << (128 - 8 * size);
  const std::uint64_t in_low = not_digits(low), in_high = not_digits(high);
  if (in_low) {
    if (in_high || !close_gap(low, in_low, found.decimals)) return false;
    low |= high >> 56;
    high <<= 8;
  } else if (in_high) {
    found.decimals = 8;
    if (!close_gap(high, in_high, found.decimals)) return false;
  } else if (size > kMostDigits) {
    return false;
  }
  found.mantissa = joined_digits(high) * 100'000'000 + joined_digits(low);
  return true;
}

// A number as most are; false for any other, and for what is none. There are as many bytes to read
// behind the text.
POOLWISE_INLINE bool parse_common_number(std::string_view text, double& value) {
  const bool negative = text[0] == '-';
  text.remove_prefix(negative);
  Decimal decimal;
  if (!parse_decimal_at_once(text, decimal)) return false;
  value = negative ? -decimal.value() : decimal.value();
  return true;
}

// Any decimal notation, with a sign or without; not hexadecimal. May be NaN or infinite. False where
// there is no number.
inline bool parse_number(std::string_view text, double& value) {
  const bool negative = !text.empty() && text[0] == '-';
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  Decimal decimal;
  if (text.size() <= kLongestDecimal && parse_decimal_slowly(text, decimal)) {
    value = decimal.value();
  } else if (!parse_any_number(text, value)) {
    return false;
  }
  if (negative) value = -value;
  return true;
}

inline bool parse_integer(std::string_view text, std::int64_t& value) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && rest == text.data() + text.size();
}

}  // namespace poolwise
