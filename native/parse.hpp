// Lines into fields, fields into numbers.
#pragma once

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace poolwise {

// Where a line's fields are. Columns count from 0; −1 is a column that the layout lacks.
struct Layout {
  int least, most;  // number of fields, most = 0 for any
  int topic, document, value, rank, tag;
  char separator;  // 0 is any run of white space
  bool descending;  // a smaller value is better: the value is a rank
};

enum LayoutCode { kAuto, kTrec, kColumns, kTabs, kMemory };

constexpr Layout kTrecRun{6, 0, 0, 2, 4, 3, 5, 0, false};
constexpr Layout kMarcoRun{3, 3, 0, 1, 2, 2, -1, 0, true};
constexpr Layout kMarcoRunTabs{3, 3, 0, 1, 2, 2, -1, '\t', true};
constexpr Layout kMemoryRun{4, 4, 0, 1, 2, 3, -1, '\x1f', false};
constexpr Layout kTrecQrels{4, 4, 0, 2, 3, -1, -1, 0, false};
constexpr Layout kBeirQrels{3, 3, 0, 1, 2, -1, -1, 0, false};
constexpr Layout kBeirQrelsTabs{3, 3, 0, 1, 2, -1, -1, '\t', false};
constexpr Layout kMemoryQrels{3, 3, 0, 1, 2, -1, -1, '\x1f', false};

constexpr std::size_t kMostFields = 7;  // one more than any layout reads: enough to count too many

struct Fields {
  std::array<std::string_view, kMostFields> at;
  int count = 0;
};

inline bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

#if defined(__SSE2__)
// Which of sixteen bytes are white space, as bits.
inline std::uint64_t spaces_16(const char* at) {
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
  const __m128i past_tab = _mm_sub_epi8(bytes, _mm_set1_epi8('\t'));
  const __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(past_tab, _mm_set1_epi8(4)), past_tab);
  const __m128i blank = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(' '));
  return static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_or_si128(control, blank)));
}

// As split_spaces, for a line of less than 64 bytes that stands in at least 64 readable ones: one
// pass makes a bit for each byte, and the fields are found by counting zeros.
inline Fields split_short(const char* at, std::size_t size, int most) {
  const std::uint64_t past_end = ~std::uint64_t{0} << size;
  const std::uint64_t space = past_end | spaces_16(at) | spaces_16(at + 16) << 16 |
                              spaces_16(at + 32) << 32 | spaces_16(at + 48) << 48;
  const std::uint64_t after_word = ~space << 1;
  std::uint64_t begins = ~space & ~after_word, ends = space & after_word;
  Fields fields;
  while (begins != 0 && fields.count < most) {
    const int begin = __builtin_ctzll(begins), end = __builtin_ctzll(ends);
    begins &= begins - 1;
    ends &= ends - 1;
    fields.at[static_cast<std::size_t>(fields.count++)] = {at + begin,
                                                           static_cast<std::size_t>(end - begin)};
  }
  return fields;
}
#endif

// Splits off up to `most` fields.
inline Fields split_spaces(const char* at, const char* end, int most) {
  Fields fields;
  while (fields.count < most) {
    while (at != end && is_space(*at)) ++at;
    if (at == end) break;
    const char* begin = at;
    while (at != end && !is_space(*at)) ++at;
    fields.at[static_cast<std::size_t>(fields.count++)] = {begin,
                                                           static_cast<std::size_t>(at - begin)};
  }
  return fields;
}

inline Fields split_at(const char* at, const char* end, int most, char separator) {
  Fields fields;
  while (fields.count < most) {
    const char* begin = at;
    while (at != end && *at != separator) ++at;
    fields.at[static_cast<std::size_t>(fields.count++)] = {begin,
                                                           static_cast<std::size_t>(at - begin)};
    if (at == end) break;
    ++at;
  }
  return fields;
}

// `readable` is how many bytes from the start of the line may be read, past its end too.
inline Fields split(std::string_view line, std::size_t readable, const Layout& layout) {
  const int most = layout.most == 0 ? layout.least : layout.most + 1;
#if defined(__SSE2__)
  if (layout.separator == 0 && line.size() < 64 && readable >= 64) {
    return split_short(line.data(), line.size(), most);
  }
#else
  static_cast<void>(readable);
#endif
  const char* end = line.data() + line.size();
  return layout.separator == 0 ? split_spaces(line.data(), end, most)
                               : split_at(line.data(), end, most, layout.separator);
}

inline bool is_word_for_no_number(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 'a' - 'A' : c);
  return lower == "nan" || lower == "inf" || lower == "infinity";
}

// The general case, for what the fast path leaves, without a sign: exponents, many digits.
inline std::optional<double> parse_any_number(std::string_view text) {
  if (is_word_for_no_number(text)) return std::nan("");
  const bool decimal = text.find_first_not_of("0123456789.eE+-") == std::string_view::npos;
  if (text.empty() || !decimal || text[0] == '+' || text[0] == '-') return std::nullopt;
  double value = 0;
#if defined(__cpp_lib_to_chars)
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::invalid_argument || rest != text.data() + text.size()) {
    return std::nullopt;
  }
  if (error == std::errc()) return value;
#endif
  // from_chars does not say which way a number is out of range; strtod does (0 or infinite).
  const std::string copy(text);
  char* stop = nullptr;
  value = std::strtod(copy.c_str(), &stop);
  if (stop != copy.c_str() + copy.size()) return std::nullopt;
  return value;
}

// Any decimal notation, with a sign or without; not hexadecimal. May be NaN or infinite.
inline std::optional<double> parse_number(std::string_view text) {
  static constexpr double kPowers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                       1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
  const char* at = text.data();
  const char* end = at + text.size();
  const bool negative = at != end && *at == '-';
  if (at != end && (*at == '-' || *at == '+')) ++at;
  const char* digits = at;
  std::uint64_t mantissa = 0;
  while (at != end && *at >= '0' && *at <= '9') {
    mantissa = mantissa * 10 + static_cast<std::uint64_t>(*at++ - '0');
  }
  long count = at - digits, decimals = 0;
  if (at != end && *at == '.') {
    const char* point = ++at;
    while (at != end && *at >= '0' && *at <= '9') {
      mantissa = mantissa * 10 + static_cast<std::uint64_t>(*at++ - '0');
    }
    decimals = at - point;
    count += decimals;
  }
  // Fifteen digits and a power of ten up to 15 are exact as doubles, so one division rounds right.
  if (at == end && count >= 1 && count <= 15) {
    const double value = static_cast<double>(mantissa) / kPowers[decimals];
    return negative ? -value : value;
  }
  const auto value = parse_any_number({digits, static_cast<std::size_t>(end - digits)});
  return value && negative ? -*value : value;
}

inline std::optional<std::int64_t> parse_integer(std::string_view text) {
  std::int64_t value = 0;
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || rest != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace poolwise
