#include "remote/token.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "core/owned_fd.hpp"
#include "graphrun/core/error.hpp"
#include "remote/hmac.hpp"

namespace graphrun::remote::inline GR_IDS {
namespace {

constexpr std::size_t kLeastBytes = 16;
constexpr std::size_t kMostBytes = 4096;
constexpr const char* kVariable = "GRAPHMEMD_TOKEN";

std::string read_token_file(const std::string& path) {
  const OwnedFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) throw DataError(fmt::format("cannot open the token file {}: {}", path, std::strerror(errno)));
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) throw DataError(fmt::format("cannot examine {}: {}", path, std::strerror(errno)));
  if (S_ISREG(status.st_mode) && (status.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    throw UsageError(fmt::format("the token file {} is open to others than its owner: chmod 600 it", path));
  }
  std::array<char, kMostBytes> bytes;
  const ssize_t count = ::read(file.get(), bytes.data(), bytes.size());
  if (count < 0) throw DataError(fmt::format("cannot read the token file {}: {}", path, std::strerror(errno)));
  std::string token(bytes.data(), static_cast<std::size_t>(count));
  while (!token.empty() && (token.back() == '\n' || token.back() == '\r')) token.pop_back();
  return token;
}

}  // namespace

Token Token::find(const std::string& file) {
  Token token;
  const char* variable = std::getenv(kVariable);
  if (file.empty() && variable == nullptr) return token;
  const std::string where = file.empty() ? std::string("the environment variable ") + kVariable : file;
  token.secret_ = file.empty() ? std::string(variable) : read_token_file(file);
  if (token.secret_.size() < kLeastBytes) {
    throw UsageError(
        fmt::format("the token in {} has {} characters, and {} are the least", where, token.secret_.size(), kLeastBytes));
  }
  if (const std::string missing = why_no_hmac(); !missing.empty()) throw UnavailableError("tokens cannot be used: " + missing);
  return token;
}

std::string Token::proof(std::initializer_list<std::string_view> parts) const {
  if (!exists()) return {};
  std::string text;
  for (const std::string_view part : parts) {
    const auto size = static_cast<std::uint64_t>(part.size());
    text.append(reinterpret_cast<const char*>(&size), sizeof(size)).append(part);
  }
  return to_hex(hmac_sha256(secret_, text));
}

bool Token::accepts(std::string_view proof, std::initializer_list<std::string_view> parts) const {
  const std::string right = this->proof(parts);
  if (proof.size() != right.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < right.size(); ++i) difference |= static_cast<unsigned char>(proof[i] ^ right[i]);
  return difference == 0;
}

std::string random_nonce() {
  std::array<char, 32> bytes;
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    throw RunError("the system gives no random numbers");
  }
  return to_hex({bytes.data(), bytes.size()});
}

std::string to_hex(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return text;
}

std::string from_hex(std::string_view text) {
  const auto digit = [](char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1; };
  std::string bytes;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    const int high = digit(text[i]);
    const int low = digit(text[i + 1]);
    if (high < 0 || low < 0) throw RunError("sends bytes that are not hexadecimal");
    bytes += static_cast<char>(high << 4 | low);
  }
  if (text.size() % 2 != 0) throw RunError("sends bytes that are not hexadecimal");
  return bytes;
}

}  // namespace graphrun::remote::inline GR_IDS
