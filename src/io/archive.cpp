// SPDX-License-Identifier: Apache-2.0

#include "io/archive.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <exception>
#include <filesystem>
#include <mutex>
#include <string_view>
#include <system_error>
#include <vector>

#if GRAPHRUN_HAS_ARCHIVE
#include <archive.h>
#include <archive_entry.h>
#endif

#include "core/raise.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/core/names.hpp"
#include "io/line_parser.hpp"

namespace graphrun::io::inline GR_IDS {
namespace {

using namespace std::string_view_literals;
using ArchiveBytes = std::span<const std::byte>;

constexpr std::size_t kTarBlockBytes = 512;

std::string_view text_of_bytes(ArchiveBytes bytes, std::size_t most) {
  return {reinterpret_cast<const char*>(bytes.data()), std::min(bytes.size(), most)};
}

bool is_zip(std::string_view head) { return head.starts_with("PK\3\4"sv) || head.starts_with("PK\5\6"sv); }

/// Looks at the checksum of the first header: the sum of its bytes, with blanks in its own place.
bool is_tar(std::string_view head) {
  constexpr std::size_t kSumOffset = 148;
  constexpr std::size_t kSumBytes = 8;
  if (head.size() < kTarBlockBytes || head.front() == '\0' || head.find('\0') == head.npos) return false;
  const std::string_view field = head.substr(kSumOffset, kSumBytes);
  const std::size_t begin = std::min(field.find_first_not_of(' '), kSumBytes);
  unsigned stored = 0;
  const auto [rest, status] = std::from_chars(field.data() + begin, field.data() + kSumBytes, stored, 8);
  if (status != std::errc()) return false;
  unsigned sum = kSumBytes * ' ';
  for (std::size_t i = 0; i < kTarBlockBytes; ++i) {
    if (i < kSumOffset || i >= kSumOffset + kSumBytes) sum += static_cast<unsigned char>(head[i]);
  }
  return sum == stored;
}

/// Returns false also for compressed data that are damaged in their first bytes: their reader says so.
bool holds_tar(ArchiveBytes file) {
  const std::string unnamed;
  try {
    const auto decoder = make_decoder(unnamed, file);
    std::array<char, kTarBlockBytes> head{};
    return decoder != nullptr && is_tar({head.data(), decoder->read(head)});
  } catch (const Error&) {
    return false;
  }
}

#if GRAPHRUN_HAS_ARCHIVE

std::string_view base_of(std::string_view name) { return name.substr(name.rfind('/') + 1); }

/// Returns a name without suffixes, in small letters, as names of archives and members are compared.
std::string stem_of(std::string_view name) {
  std::string stem = in_small_letters(base_of(name));
  for (const std::string_view suffix : {".gz", ".zst", ".xz", ".bz2", ".tgz", ".tbz2", ".txz", ".tzst", ".tar", ".zip"}) {
    if (stem.ends_with(suffix)) stem.resize(stem.size() - suffix.size());
  }
  return stem;
}

/// Returns whether a name is one of graphs as text in SuiteSparse, SNAP, Network Repository and KONECT (out.NAME).
bool is_called_graph(std::string_view name) {
  const std::string base = in_small_letters(base_of(name));
  if (base.starts_with("readme") || base.starts_with("license")) return false;
  constexpr std::string_view kSuffixes[] = {".mtx", ".edges", ".edgelist", ".el", ".wel",   ".txt",
                                            ".csv", ".tsv",   ".ncol",     ".gr", ".graph", ".metis"};
  return base.starts_with("out.") || std::ranges::any_of(kSuffixes, [&](auto suffix) { return base.ends_with(suffix); });
}

/// Returns whether it is what file systems leave in archives beside files.
bool is_left_behind(std::string_view name) {
  return name.starts_with("__MACOSX/") || base_of(name).starts_with("._") || base_of(name) == ".DS_Store";
}

std::string list_of_members(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 12;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kMost); ++i) text += (i == 0 ? "" : ", ") + printable(names[i]);
  return names.size() > kMost ? text + ", and " + std::to_string(names.size() - kMost) + " more" : text;
}

/// Reads an archive member after member.
class ArchiveReader {
 public:
  ArchiveReader(const std::string& path, ArchiveBytes file)
      : path_(path), kind_(archive_kind(file)), file_(file), archive_(::archive_read_new()) {
    if (archive_ == nullptr) raise<RunError>("libarchive ran out of memory on {}", path_);
    if (!is_zip(text_of_bytes(file, kTarBlockBytes))) inner_ = make_decoder(path_, file);
    ::archive_read_support_format_tar(archive_.get());
    ::archive_read_support_format_zip(archive_.get());
    ::archive_read_set_callback_data(archive_.get(), this);
    ::archive_read_set_read_callback(archive_.get(), read_some);
    if (inner_ == nullptr) {
      ::archive_read_set_seek_callback(archive_.get(), seek);
      ::archive_read_set_skip_callback(archive_.get(), skip);
    }
    require(::archive_read_open1(archive_.get()));
  }

  /// Goes to the next regular file; false at the end of the archive.
  bool next() {
    for (::archive_entry* entry = nullptr;;) {
      const int status = ::archive_read_next_header(archive_.get(), &entry);
      if (status == ARCHIVE_EOF) {
        require_end();
        return false;
      }
      if (status != ARCHIVE_WARN) require(status);  // of names in another character set
      const char* name = ::archive_entry_pathname_utf8(entry);
      if (name == nullptr) name = ::archive_entry_pathname(entry);
      if (name == nullptr || ::archive_entry_filetype(entry) != AE_IFREG || is_left_behind(name)) continue;
      name_ = name;
      bytes_ = ::archive_entry_size_is_set(entry) != 0 ? std::optional<std::uint64_t>(::archive_entry_size(entry)) : std::nullopt;
      encrypted_ = ::archive_entry_is_encrypted(entry) != 0;
      return true;
    }
  }
  const std::string& name() const { return name_; }
  std::optional<std::uint64_t> bytes() const { return bytes_; }

  /// Throws UnavailableError for a member that cannot be decoded, or only with any amount of memory.
  void require_readable() const {
    if (encrypted_) raise<UnavailableError>("{} is encrypted: unpack it first", path_);
    // "ZIP 2.0 (deflation)"
    const std::string_view format = ::archive_format_name(archive_.get());
    if (!format.starts_with("ZIP")) return;
    const std::size_t begin = std::min(format.find('('), format.size() - 1) + 1;
    const std::string_view method = format.substr(begin, format.find(')') - begin);
    if (method == "uncompressed" || method == "deflation") return;
    raise<UnavailableError>("{} is compressed with {} in its zip archive, and only deflate is read: unpack it first", path_,
                            method);
  }

  std::size_t read(std::span<char> out) {
    const la_ssize_t got = ::archive_read_data(archive_.get(), out.data(), out.size());
    if (got < 0) require(static_cast<int>(got));
    return static_cast<std::size_t>(got);
  }

  /// Reads the archive to its end, where damage may be.
  void finish() {
    while (next()) continue;
    std::array<char, kTarBlockBytes> rest{};
    while (inner_ != nullptr && inner_->read(rest) != 0) continue;
  }

  std::size_t offset() const { return inner_ != nullptr ? inner_->offset() : position_; }
  const std::string& path() const { return path_; }
  const char* kind() const { return kind_; }

 private:
  struct Free {
    void operator()(::archive* opened) const { ::archive_read_free(opened); }
  };

  /// Throws where a tar archive ends without a block of zeros: members may have been cut off.
  void require_end() {
    if (kind_ != "tar"sv || ::archive_filter_bytes(archive_.get(), 0) > ::archive_read_header_position(archive_.get())) return;
    raise<DataError>("{}: the tar archive is cut off: no blocks of zeros end it", path_);
  }

  void require(int status) {
    if (failure_) std::rethrow_exception(failure_);
    if (status == ARCHIVE_OK) return;
    const char* why = ::archive_error_string(archive_.get());
    raise<DataError>("{}: the {} archive is damaged ({})", path_, kind_, why != nullptr ? why : "no reason is known");
  }

  static la_ssize_t read_some(::archive* opened, void* data, const void** buffer) {
    constexpr std::size_t kSliceBytes = std::size_t{1} << 20;
    auto& self = *static_cast<ArchiveReader*>(data);
    if (self.inner_ == nullptr) {
      const ArchiveBytes slice =
          self.file_.subspan(self.position_).first(std::min(kSliceBytes, self.file_.size() - self.position_));
      self.position_ += slice.size();
      *buffer = slice.data();
      return static_cast<la_ssize_t>(slice.size());
    }
    try {
      self.buffer_.resize(kSliceBytes);
      *buffer = self.buffer_.data();
      return static_cast<la_ssize_t>(self.inner_->read(self.buffer_));
    } catch (...) {  // not through functions of C
      self.failure_ = std::current_exception();
      ::archive_set_error(opened, EIO, "decompressing failed");
      return ARCHIVE_FATAL;
    }
  }
  static la_int64_t skip(::archive*, void* data, la_int64_t bytes) {
    auto& self = *static_cast<ArchiveReader*>(data);
    const std::size_t skipped = std::min(static_cast<std::size_t>(bytes), self.file_.size() - self.position_);
    self.position_ += skipped;
    return static_cast<la_int64_t>(skipped);
  }
  static la_int64_t seek(::archive*, void* data, la_int64_t offset, int whence) {
    auto& self = *static_cast<ArchiveReader*>(data);
    const auto size = static_cast<la_int64_t>(self.file_.size());
    const la_int64_t from = whence == SEEK_SET ? 0 : whence == SEEK_END ? size : static_cast<la_int64_t>(self.position_);
    const la_int64_t to = std::clamp<la_int64_t>(from + offset, 0, size);
    self.position_ = static_cast<std::size_t>(to);
    return to;
  }

  const std::string& path_;
  const char* kind_;
  ArchiveBytes file_;
  std::size_t position_ = 0;
  std::unique_ptr<Decoder> inner_;  // of a compressed tar archive
  std::vector<char> buffer_;        // of text of `inner_`
  std::exception_ptr failure_;      // of `inner_`
  std::string name_;
  std::optional<std::uint64_t> bytes_;
  bool encrypted_ = false;
  std::unique_ptr<::archive, Free> archive_;  // the last: it ends before what its callbacks read
};

/// Chooses the member that holds the graph: the matrix called like the archive, wherever others are; else the only graph called
/// like it; else the only one called like a graph; else the only member.
std::string look_for_graph(const std::string& path, ArchiveBytes file) {
  const std::string stem = stem_of(path);
  std::vector<std::string> all, graphs, namesakes;
  ArchiveReader reader(path, file);
  while (reader.next()) {
    const std::string& name = reader.name();
    const std::string base = in_small_letters(base_of(name));
    if (base == stem + ".mtx") return name;
    all.push_back(name);
    if (!is_called_graph(name)) continue;
    graphs.push_back(name);
    if (base.substr(0, base.rfind('.')) == stem) namesakes.push_back(name);
  }
  if (namesakes.size() == 1) return namesakes.front();
  if (graphs.size() == 1) return graphs.front();
  if (all.size() == 1) return all.front();
  if (all.empty()) raise<DataError>("{} is a {} archive without files", path, reader.kind());
  raise<DataError>("{} is a {} archive of {} files: name the one that is the graph, such as {}:{} (it holds {})", path,
                   reader.kind(), all.size(), path, printable(graphs.empty() ? all.front() : graphs.front()),
                   list_of_members(graphs.empty() ? all : graphs));
}

/// Opens a reader that stands at `member`.
std::unique_ptr<ArchiveReader> open_reader(const std::string& path, ArchiveBytes file, const std::string& member) {
  auto reader = std::make_unique<ArchiveReader>(path, file);
  std::vector<std::string> names;
  while (reader->next()) {
    if (reader->name() == member) return reader;
    names.push_back(reader->name());
  }
  raise<DataError>("{}: the {} archive has no such file; it holds {}", path, reader->kind(), list_of_members(names));
}

class MemberText : public Decoder {
 public:
  MemberText(const std::string& path, ArchiveBytes file, const std::string& member) : reader_(open_reader(path, file, member)) {
    reader_->require_readable();
  }

  std::size_t read(std::span<char> out) override {
    std::size_t made = 0;
    while (made < out.size() && !done_) {
      const std::size_t got = reader_->read(out.subspan(made));
      made += got;
      offset_ = std::max(offset_, reader_->offset());
      if (got != 0) continue;
      reader_->finish();
      done_ = true;
    }
    return made;
  }
  std::size_t offset() const override { return offset_; }

 private:
  std::unique_ptr<ArchiveReader> reader_;
  std::size_t offset_ = 0;  // grows, also where an archive is read from its end
  bool done_ = false;
};

#endif

}  // namespace

#if GRAPHRUN_HAS_ARCHIVE

// The last member is remembered: several calls ask for the same one, and compressed archives are read from their beginning.
std::optional<Member> find_member(const std::string& path, ArchiveBytes file) {
  if (archive_kind(file) == nullptr) return std::nullopt;
  static std::mutex mutex;
  static std::string last_key;
  static Member last;
  const InputName asked = split_member(path);
  struct stat status {};
  if (::stat(asked.file.c_str(), &status) != 0) status = {};
  const std::string key = fmt::format("{} {} {} {}.{:09} {}", asked.file, status.st_dev, status.st_ino, status.st_mtim.tv_sec,
                                      status.st_mtim.tv_nsec, file.size());
  const std::lock_guard lock(mutex);
  if (key == last_key && (asked.member.empty() || asked.member == last.name)) return last;
  last_key.clear();
  last.name = asked.member.empty() ? look_for_graph(path, file) : asked.member;
  const auto reader = open_reader(path, file, last.name);
  reader->require_readable();
  last.bytes = reader->bytes();
  last.head.resize(kMemberHeadBytes);
  std::size_t filled = 0;
  for (std::size_t got = 1; got != 0 && filled < last.head.size(); filled += got)
    got = reader->read(std::span(last.head).subspan(filled));
  last.head.resize(filled);
  last_key = key;
  return last;
}

std::unique_ptr<Decoder> open_member(const std::string& path, ArchiveBytes file) {
  const auto member = find_member(path, file);
  return member ? std::make_unique<MemberText>(path, file, member->name) : nullptr;
}

#else

std::optional<Member> find_member(const std::string& path, ArchiveBytes file) {
  const char* kind = archive_kind(file);
  if (kind == nullptr) return std::nullopt;
  raise<UnavailableError>(
      "{} is a {} archive, which this program was built without: read its file by '{} | graphconv - OUT.grf', or install "
      "libarchive-dev and build again",
      path, kind, member_command(path, file));
}

std::unique_ptr<Decoder> open_member(const std::string& path, ArchiveBytes file) {
  find_member(path, file);
  return nullptr;
}

#endif

bool path_exists(const std::string& path) {
  std::error_code unknown;
  return std::filesystem::exists(path, unknown);
}

InputName split_member(const std::string& path) {
  if (path_exists(path)) return {path, ""};
  for (std::size_t colon = path.find(':'); colon != path.npos; colon = path.find(':', colon + 1)) {
    const std::string file = path.substr(0, colon);
    if (colon + 1 < path.size() && path_exists(file)) return {file, path.substr(colon + 1)};
  }
  return {path, ""};
}

const char* archive_kind(ArchiveBytes file) {
  const std::string_view head = text_of_bytes(file, kTarBlockBytes);
  return is_zip(head) ? "zip" : is_tar(head) || holds_tar(file) ? "tar" : nullptr;
}

std::string member_command(const std::string& path, ArchiveBytes file) {
  const char* kind = archive_kind(file);
  if (kind == nullptr) return "";
  const InputName name = split_member(path);
  return fmt::format("{} {} {}", kind == "tar"sv ? "tar -xOf" : "unzip -p", name.file,
                     name.member.empty() ? "MEMBER" : name.member);
}

}  // namespace graphrun::io::inline GR_IDS
