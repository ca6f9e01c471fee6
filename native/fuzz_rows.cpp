// Random numbers and texts as rows, under the sanitizers: each number must fit the room that it has, and
// read back as itself.
//
//   fuzz_rows [iterations] [seed]

#include <bit>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "rows.cpp"

namespace {

bool reads_back(double value) {
  std::vector<char> out(25);
  Column column{kFloats, &value, 0};
  const std::int64_t size = poolwise_write_rows(&column, 1, 1, '\t', out.data());
  if (std::isnan(value)) return size == 1;
  const std::string text(out.data(), static_cast<std::size_t>(size - 1));
  return std::bit_cast<std::uint64_t>(std::strtod(text.c_str(), nullptr)) ==
         std::bit_cast<std::uint64_t>(value);
}

// Texts of random lengths beside a number, in a room that holds them and not a byte more.
bool fits(std::mt19937_64& random) {
  const std::int64_t rows = static_cast<std::int64_t>(random() % 20);
  std::string texts;
  std::vector<std::int64_t> numbers;
  for (std::int64_t i = 0; i < rows; ++i) {
    texts += std::string(random() % 9, 'x') + '\n';
    numbers.push_back(static_cast<std::int64_t>(random()));
  }
  std::vector<Column> columns{{kTexts, texts.data(), static_cast<std::int64_t>(texts.size())},
                              {kIntegers, numbers.data(), 0}};
  std::vector<char> out(texts.size() + 25 * numbers.size());
  const std::int64_t size = poolwise_write_rows(columns.data(), 2, rows, '\t', out.data());
  return size <= static_cast<std::int64_t>(out.size()) && columns[0].size == 0;
}

}  // namespace

int main(int count, char** arguments) {
  const long iterations = count > 1 ? std::atol(arguments[1]) : 100000;
  std::mt19937_64 random(count > 2 ? std::strtoul(arguments[2], nullptr, 10) : 1);
  std::uniform_real_distribution<double> score(-1, 1);
  for (long i = 0; i < iterations; ++i) {
    for (const double value : {std::bit_cast<double>(random()), score(random)}) {
      if (!reads_back(value)) return std::printf("%a is not read back\n", value), 1;
    }
    if (!fits(random)) return std::printf("iteration %ld: rows take more room than they have\n", i), 1;
  }
  std::printf("%ld rounds of rows: no complaint\n", iterations);
}
