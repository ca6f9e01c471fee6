// Rows of delimited text, called from Python through ctypes (printout/native_rows.py).
//
// Numbers look as Python prints them: the fewest digits that read back as the same number.

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <version>

#include "compiler.hpp"

namespace {

enum Kind : std::int32_t { kTexts, kFloats, kIntegers };

// One column: numbers, or `size` bytes of texts, each of which a line feed ends.
struct Column {
  Kind kind;
  const void* cells;
  std::int64_t size;
};

struct Row {
  char* at;

  void put(char c) { *at++ = c; }
  void put(const char* from, std::size_t size) {
    std::memcpy(at, from, size);
    at += size;
  }
  void put_zeros(int count) {
    while (count-- > 0) put('0');
  }
};

#if defined(__cpp_lib_to_chars)
// A number as digits, and the power of ten of the first of them.
struct Digits {
  std::array<char, 32> digits;
  int count = 0;
  int exponent = 0;
};

Digits digits_of(double value) {
  std::array<char, 32> text;
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::scientific).ptr;
  Digits found;
  const char* at = text.data();
  for (; *at != 'e'; ++at) {
    if (*at != '.') found.digits[static_cast<std::size_t>(found.count++)] = *at;
  }
  std::from_chars(at[1] == '+' ? at + 2 : at + 1, end, found.exponent);
  return found;
}

void put_fixed(Row& row, const Digits& number) {
  const char* digits = number.digits.data();
  if (number.exponent < 0) {
    row.put("0.", 2);
    row.put_zeros(-number.exponent - 1);
    row.put(digits, static_cast<std::size_t>(number.count));
    return;
  }
  const int whole = number.exponent + 1, left = number.count - whole;
  row.put(digits, static_cast<std::size_t>(left < 0 ? number.count : whole));
  row.put_zeros(-left);
  row.put('.');
  if (left > 0) {
    row.put(digits + whole, static_cast<std::size_t>(left));
  } else {
    row.put('0');
  }
}

void put_scientific(Row& row, const Digits& number) {
  row.put(number.digits[0]);
  if (number.count > 1) {
    row.put('.');
    row.put(number.digits.data() + 1, static_cast<std::size_t>(number.count - 1));
  }
  row.put('e');
  row.put(number.exponent < 0 ? '-' : '+');
  const int size = std::abs(number.exponent);
  if (size < 10) row.put('0');
  row.at = std::to_chars(row.at, row.at + 3, size).ptr;
}

// NaN is an empty field.
void put_float(Row& row, double value) {
  if (std::isnan(value)) return;
  if (std::signbit(value)) row.put('-');
  if (std::isinf(value)) return row.put("inf", 3);
  const Digits number = digits_of(std::abs(value));
  // The limits between which Python prints no exponent.
  if (number.exponent >= -4 && number.exponent < 16) {
    put_fixed(row, number);
  } else {
    put_scientific(row, number);
  }
}

// Takes the first text off a column.
void put_text(Row& row, Column& column) {
  const char* text = static_cast<const char*>(column.cells);
  const char* end =
      static_cast<const char*>(std::memchr(text, '\n', static_cast<std::size_t>(column.size)));
  row.put(text, static_cast<std::size_t>(end - text));
  column.size -= end + 1 - text;
  column.cells = end + 1;
}

void put_cell(Row& row, Column& column, std::int64_t i) {
  switch (column.kind) {
    case kTexts: return put_text(row, column);
    case kFloats: return put_float(row, static_cast<const double*>(column.cells)[i]);
    case kIntegers:
      row.at = std::to_chars(row.at, row.at + 20, static_cast<const std::int64_t*>(column.cells)[i]).ptr;
  }
}
#endif

}  // namespace

// Whether this library can write; where it cannot, for want of a way to print numbers, it does nothing.
// Another library may end the process by exit(1), as OpenBLAS does when it gets no memory. From now
// on that ends it with this code.
namespace {
int end_code = 0;
}
EXPORT void poolwise_end_with(int code) {
  end_code = code;
  std::atexit([] { std::_Exit(end_code); });
}

EXPORT int poolwise_writes_rows() {
#if defined(__cpp_lib_to_chars)
  return 1;
#else
  return 0;
#endif
}

// Writes rows of fields with a separator between them and a line feed behind them, takes the texts off
// their columns, and returns the size. `out` must have room for the texts, and for 25 bytes a number.
EXPORT std::int64_t poolwise_write_rows(Column* columns, std::int64_t count, std::int64_t rows,
                                        char separator, char* out) {
  Row row{out};
#if defined(__cpp_lib_to_chars)
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t c = 0; c < count; ++c) {
      if (c > 0) row.put(separator);
      put_cell(row, columns[c], i);
    }
    row.put('\n');
  }
#else
  static_cast<void>(columns), static_cast<void>(count), static_cast<void>(rows);
  static_cast<void>(separator);
#endif
  return row.at - out;
}
