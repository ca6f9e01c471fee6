// Lines into fields, fields into numbers.
#pragma once

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "bytes.hpp"

#if defined(POOLWISE_SSE2)
#include <emmintrin.h>
#endif

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

inline bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

#if defined(POOLWISE_SSE2)
inline std::uint64_t bits_of(__m128i chosen) {
  return static_cast<std::uint32_t>(_mm_movemask_epi8(chosen));
}

// Which of sixteen bytes are white space, as bits.
inline std::uint64_t spaces_16(__m128i bytes) {
  const __m128i past_tab = _mm_sub_epi8(bytes, _mm_set1_epi8('\t'));
  const __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(past_tab, _mm_set1_epi8(4)), past_tab);
  const __m128i blank = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(' '));
  return bits_of(_mm_or_si128(control, blank));
}

// A line that ends within 64 bytes is read at once; the number at its end wants some bytes more.
constexpr int kShortLine = 64, kReadAhead = 96;

// What is white space in the next 64 bytes, a bit for each, and where the line ends, 64 if it does not.
struct ShortLine {
  std::uint64_t space;
  int length;
};
inline ShortLine short_line(const char* at) {
  std::uint64_t space = 0, ends = 0;
  for (int i = 0; i < kShortLine; i += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at + i));
    space |= spaces_16(bytes) << i;
    ends |= bits_of(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('\n'))) << i;
  }
  return {space, ends == 0 ? kShortLine : std::countr_zero(ends)};
}

// The fields of a short line, found by counting zeros. False where it has fewer or more.
inline bool split_short(const ShortLine& line, int count, Fields& fields) {
  const std::uint64_t after_word = ~line.space << 1;
  const std::uint64_t inside = (std::uint64_t{1} << line.length) - 1;
  std::uint64_t begins = ~line.space & ~after_word & inside, ends = line.space & after_word;
  for (; fields.count() < count; begins &= begins - 1, ends &= ends - 1) {
    if (begins == 0) return false;
    fields.add(static_cast<std::size_t>(std::countr_zero(begins)),
               static_cast<std::size_t>(std::countr_zero(ends)));
  }
  return begins == 0;
}
#endif

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
  const std::string lower = lower_case(text);
  return lower == "nan" || lower == "inf" || lower == "infinity";
}

// The general case, for what the fast paths leave, without a sign: exponents, many digits.
inline bool parse_any_number(std::string_view text, double& value) {
  value = std::nan("");
  if (is_word_for_no_number(text)) return true;
  const bool decimal = text.find_first_not_of("0123456789.eE+-") == std::string_view::npos;
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

#if defined(POOLWISE_SSE2)
constexpr std::array<std::uint64_t, 16> kPowersOfTen = [] {
  std::array<std::uint64_t, 16> powers{1};
  for (std::size_t i = 1; i < powers.size(); ++i) powers[i] = 10 * powers[i - 1];
  return powers;
}();

// The number that up to eight digits make, all at once: ones into pairs, fours and eight.
inline std::uint64_t digits_8(const char* at, std::size_t count) {
  if (count == 0) return 0;
  constexpr std::uint64_t kEveryFourth = 0x000000FF000000FF;
  constexpr std::uint64_t kHundredAndMillion = 100 + (std::uint64_t{1000000} << 32);
  constexpr std::uint64_t kOneAndTenThousand = 1 + (std::uint64_t{10000} << 32);
  std::uint64_t word = (load_8(at) - 0x3030303030303030) << (64 - 8 * count);
  word = word * 10 + (word >> 8);
  return ((word & kEveryFourth) * kHundredAndMillion +
          (word >> 16 & kEveryFourth) * kOneAndTenThousand) >> 32;
}

inline std::uint64_t digits_16(const char* at, std::size_t count) {
  if (count <= 8) return digits_8(at, count);
  return digits_8(at, 8) * kPowersOfTen[count - 8] + digits_8(at + 8, count - 8);
}

// The same for a text of up to 16 bytes that stands in at least 24 readable ones.
inline bool parse_decimal_at_once(std::string_view text, Decimal& found) {
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data()));
  const __m128i digits = _mm_sub_epi8(bytes, _mm_set1_epi8('0'));
  const __m128i is_digit = _mm_cmpeq_epi8(_mm_min_epu8(digits, _mm_set1_epi8(9)), digits);
  const std::uint64_t others = ~bits_of(is_digit) & ((std::uint64_t{1} << text.size()) - 1);
  const std::size_t whole = others ? static_cast<std::size_t>(std::countr_zero(others)) : text.size();
  if (others && (text[whole] != '.' || (others & (others - 1)))) return false;
  const std::size_t count = text.size() - (others != 0);
  if (count == 0 || count > kMostDigits) return false;
  found.decimals = count - whole;
  found.mantissa = digits_16(text.data(), whole) * kPowersOfTen[found.decimals] +
                   digits_16(text.data() + whole + 1, found.decimals);
  return true;
}
#endif

inline bool parse_decimal(std::string_view text, std::size_t readable, Decimal& found) {
#if defined(POOLWISE_SSE2)
  if (readable > kLongestDecimal + 8) return parse_decimal_at_once(text, found);
#else
  static_cast<void>(readable);
#endif
  return parse_decimal_slowly(text, found);
}

// Any decimal notation, with a sign or without; not hexadecimal. May be NaN or infinite. False where
// there is no number. `readable` is how many bytes may be read, past the text too.
inline bool parse_number(std::string_view text, std::size_t readable, double& value) {
  const bool negative = !text.empty() && text[0] == '-';
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  Decimal decimal;
  if (text.size() <= kLongestDecimal && parse_decimal(text, readable, decimal)) {
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
