#include "remote/hmac.hpp"

#include "graphrun/core/error.hpp"

// The build says whether it found libcrypto: see cmake/GraphrunFabric.cmake.
#ifdef GRAPHRUN_HAS_CRYPTO
#include <openssl/evp.h>
#include <openssl/hmac.h>
#endif

namespace graphrun::remote::inline GR_IDS {

#ifdef GRAPHRUN_HAS_CRYPTO

std::string why_no_hmac() { return {}; }

std::string hmac_sha256(std::string_view key, std::string_view text) {
  std::string digest(EVP_MAX_MD_SIZE, '\0');
  unsigned bytes = 0;
  const unsigned char* made =
      ::HMAC(::EVP_sha256(), key.data(), static_cast<int>(key.size()), reinterpret_cast<const unsigned char*>(text.data()),
             text.size(), reinterpret_cast<unsigned char*>(digest.data()), &bytes);
  if (made == nullptr) throw RunError("libcrypto cannot make an HMAC");
  digest.resize(bytes);
  return digest;
}

#else

std::string why_no_hmac() { return "this program was built without libcrypto (package libssl-dev)"; }
std::string hmac_sha256(std::string_view, std::string_view) { throw UnavailableError(why_no_hmac()); }

#endif

}  // namespace graphrun::remote::inline GR_IDS
