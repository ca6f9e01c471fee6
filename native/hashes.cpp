// SHA-256 of many files at the same time, called from Python through ctypes (provenance/_hashing.py).

#include <atomic>
#include <cstdint>
#include <exception>

#include "compiler.hpp"
#include "sha256.hpp"

#if defined(POOLWISE_SHA256_LANES)
#include "hashed_files.hpp"

// From how many files of one size on it pays to hash them at the same time; 0 where that cannot be.
EXPORT int poolwise_hashes_files() {
  return poolwise::lanes_to_hash() == 0 ? 0 : poolwise::texts_that_pay();
}

// Hashes files: `paths` one after another, each ended by a NUL. Stops early where `stopped` is no
// longer 0.
EXPORT void poolwise_hash_files(const char* paths, std::int64_t count, poolwise::HashedFile* files,
                                const std::atomic<std::int32_t>* stopped) {
  try {
    poolwise::FileHasher(paths, count, files, *stopped).run(poolwise::lanes_to_hash());
  } catch (const std::exception&) {
    // What has no hash now is hashed when it is asked for.
  }
}
#else
// Others have no vectors that every compiler knows.
EXPORT int poolwise_hashes_files() { return 0; }
#endif
