// Work on several threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <thread>
#include <vector>

namespace poolwise {

// Does work(0) … work(count − 1) on several threads, Python's lock being out of the way.
template <class Work>
void in_parallel(std::int64_t count, int threads, Work work) {
  std::atomic<std::int64_t> next{0};
  const auto loop = [&] {
    for (std::int64_t i; (i = next++) < count;) work(i);
  };
  std::vector<std::thread> others;
  try {
    const std::int64_t wanted = std::min<std::int64_t>(threads, count);
    others.reserve(static_cast<std::size_t>(std::max<std::int64_t>(wanted, 1)));
    for (std::int64_t t = 1; t < wanted; ++t) others.emplace_back(loop);
  } catch (const std::exception&) {
    // Without memory, or threads, to have: those there are do it, too.
  }
  loop();
  for (std::thread& other : others) other.join();
}

}  // namespace poolwise
