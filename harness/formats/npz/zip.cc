#include "harness/formats/npz/zip.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <utility>
#include <zlib.h>

#include "harness/base/byte_reader.h"
#include "harness/base/byte_writer.h"
#include "harness/base/checksum.h"
#include "harness/base/little_endian.h"
#include "harness/base/planted_bug.h"
#include "harness/formats/message.h"

namespace anecheck::npz {
namespace {

constexpr uint64_t kEndSize = kSignatureSize + kEndRecord.kSize;
constexpr uint32_t kInZip64Extra = 0xffffffff;
constexpr uint16_t kZip64ExtraId = 1;
constexpr uint16_t kEncryptedFlag = 1;
// The maximum ratio of deflate: 258 bytes for two bits (zlib's technical notes: 1032 to 1).
constexpr uint64_t kMaxDeflateRatio = 1032;

std::string TextOf(std::span<const uint8_t> bytes) { return {bytes.begin(), bytes.end()}; }

void ReadNameAndExtra(ByteReader& reader, ZipFields& fields) {
  fields.name = TextOf(reader.Bytes(fields.name_length, "name"));
  const auto extra = reader.Bytes(fields.extra_length, "extra");
  fields.extra.assign(extra.begin(), extra.end());
}

void WriteShared(ByteWriter& writer, ZipFields fields) {
  fields.name_length = static_cast<uint16_t>(fields.name.size());
  fields.extra_length = static_cast<uint16_t>(fields.extra.size());
  kSharedRecord.Write(fields, writer);
}

// The sizes of a directory entry. If the header leaves sizes out, the extra field has first the
// size, then the compressed size (APPNOTE 4.5.3).
struct FullSizes {
  uint64_t size = 0;
  uint64_t compressed = 0;
};

FullSizes ResolveSizes(const ZipFields& fields) {
  FullSizes sizes{fields.size, fields.compressed_size};
  ByteReader extra(fields.extra);
  while (extra.remaining() >= kExtraRecord.kSize && extra.ok()) {
    ZipExtraHead head;
    kExtraRecord.Read(extra, head);
    ByteReader body(extra.Bytes(head.length, "body"));
    if (head.id != kZip64ExtraId) continue;
    if (fields.size == kInZip64Extra && body.remaining() >= 8) sizes.size = body.U64("size");
    if (fields.compressed_size == kInZip64Extra && body.remaining() >= 8) {
      sizes.compressed = body.U64("compressed_size");
    }
  }
  return sizes;
}

// Returns the offset of the last end record whose comment ends exactly at the end of the file.
Result<uint64_t> FindEnd(std::span<const uint8_t> bytes) {
  if (bytes.size() >= kEndSize) {
    const uint64_t last = bytes.size() - kEndSize;
    for (uint64_t back = 0; back <= std::min<uint64_t>(last, UINT16_MAX); ++back) {
      const uint8_t* at = &bytes[last - back];
      if (LoadU32(at) == kEndSignature &&
          LoadU16(at + kSignatureSize + kEndRecord.OffsetOf("comment_length")) == back) {
        return last - back;
      }
    }
  }
  return MakeError(ErrorCode::kMalformed, "zip: no end record: not a ZIP file, or cut short",
                   bytes.size());
}

Status ReadEnd(ByteReader& end, ZipArchive& archive) {
  end.U32("signature");
  kEndRecord.Read(end, archive);
  archive.comment = TextOf(end.Bytes(archive.comment_length, "comment"));
  if (archive.entry_count == UINT16_MAX || archive.directory_offset == kInZip64Extra) {
    end.Fail(ErrorCode::kUnsupported, "entries", "ZIP64 end records are not read");
  } else if (archive.disk != 0 || archive.directory_disk != 0 ||
             archive.entries_here != archive.entry_count) {
    end.Fail(ErrorCode::kUnsupported, "disk", "archives of several disks are not read");
  }
  return end.status();
}

ZipEntry ReadDirectoryEntry(ByteReader& reader) {
  ZipEntry entry;
  if (reader.U32("signature") != kDirectorySignature) {
    reader.Fail(ErrorCode::kMalformed, "signature", "not 0x02014b50");
  }
  entry.version_made_by = reader.U16("version_made_by");
  kSharedRecord.Read(reader, entry.central);
  kEntryRecord.Read(reader, entry);
  ReadNameAndExtra(reader, entry.central);
  entry.comment = TextOf(reader.Bytes(entry.comment_length, "comment"));
  return entry;
}

// Reads the local header and data of `entry`. Returns the offset of the end of the data.
Result<uint64_t> ReadLocal(ByteReader local, ZipEntry& entry) {
  if (local.U32("signature") != kLocalSignature) {
    local.Fail(ErrorCode::kMalformed, "signature", "not 0x04034b50");
  }
  kSharedRecord.Read(local, entry.local);
  ReadNameAndExtra(local, entry.local);
  if ((entry.central.flags & kEncryptedFlag) != 0) {
    local.Fail(ErrorCode::kUnsupported, "flags", "encrypted members are not read");
  }
  const FullSizes sizes = ResolveSizes(entry.central);
  entry.full_size = sizes.size;
  entry.data_offset = local.offset();
  const auto data = local.Bytes(sizes.compressed, "data");
  if (!local.ok()) return local.status().error();
  entry.data.assign(data.begin(), data.end());
  return local.offset();
}

// Returns the indices of `entries` in the order of their local headers.
std::vector<size_t> FileOrder(const std::vector<ZipEntry>& entries) {
  std::vector<size_t> order(entries.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&entries](size_t a, size_t b) {
    return std::pair(entries[a].local_offset, a) < std::pair(entries[b].local_offset, b);
  });
  return order;
}

Status ReadMembers(ByteReader& file, ZipArchive& archive) {
  uint64_t position = 0;
  for (const size_t index : FileOrder(archive.entries)) {
    ZipEntry& entry = archive.entries[index];
    const bool overlaps = entry.local_offset < position && !IsPlanted(PlantedBug::kNpzMemberOrder);
    if (overlaps || entry.local_offset > archive.directory_offset) {
      return MakeError(ErrorCode::kMalformed,
                       fmt::format("entry[{}].local_offset: 0x{:x} lies in another record (0x{:x} "
                                   "to 0x{:x} is free)",
                                   index, entry.local_offset, position, archive.directory_offset),
                       std::min<uint64_t>(entry.local_offset, file.size()));
    }
    const auto gap = file.all().subspan(position, entry.local_offset - position);
    entry.gap_before.assign(gap.begin(), gap.end());
    ANECHECK_ASSIGN(position, ReadLocal(file.Sub(entry.local_offset,
                                                 archive.directory_offset - entry.local_offset,
                                                 "entry", static_cast<int64_t>(index)),
                                        entry));
  }
  const auto gap = file.all().subspan(position, archive.directory_offset - position);
  archive.gap_before_directory.assign(gap.begin(), gap.end());
  return {};
}

Result<std::vector<uint8_t>> Deflate(std::span<const uint8_t> content) {
  z_stream stream{};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) !=
      Z_OK) {
    return MakeError(ErrorCode::kInternal, "zlib: cannot start deflate");
  }
  std::vector<uint8_t> packed(deflateBound(&stream, content.size()));
  stream.next_in = const_cast<Bytef*>(content.data());  // zlib does not write through it
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = packed.data();
  stream.avail_out = static_cast<uInt>(packed.size());
  const int status = deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  if (status != Z_STREAM_END) return MakeError(ErrorCode::kInternal, "zlib: deflate failed");
  return packed;
}

using TakePiece = std::function<void(std::span<const uint8_t>)>;

constexpr size_t kPieceSize = size_t{1} << 16;

// Owns zlib's state.
class Inflater {
 public:
  explicit Inflater(const std::vector<uint8_t>& packed) : piece_(kPieceSize) {
    stream_.next_in = const_cast<Bytef*>(packed.data());  // zlib does not write through it
    stream_.avail_in = static_cast<uInt>(packed.size());
    started_ = inflateInit2(&stream_, -MAX_WBITS) == Z_OK;
  }
  ~Inflater() {
    if (started_) inflateEnd(&stream_);
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  bool started() const { return started_; }
  bool ended() const { return ended_; }
  uint64_t produced() const { return stream_.total_out; }
  bool consumed_all() const { return stream_.avail_in == 0; }

  // Returns the next piece. Empty after the last piece, or if the data is not a deflate stream.
  std::span<const uint8_t> Next() {
    if (ended_) return {};
    stream_.next_out = piece_.data();
    stream_.avail_out = static_cast<uInt>(piece_.size());
    const int status = inflate(&stream_, Z_NO_FLUSH);
    ended_ = status == Z_STREAM_END;
    if (status != Z_OK && !ended_) return {};
    return std::span(piece_).first(piece_.size() - stream_.avail_out);
  }

 private:
  z_stream stream_{};
  std::vector<uint8_t> piece_;
  bool started_ = false;
  bool ended_ = false;
};

// Inflates an entry. The content must have the stated size. Stops at the first byte beyond it.
Status Inflate(const ZipEntry& entry, const TakePiece& take) {
  Inflater inflater(entry.data);
  if (!inflater.started()) {
    return MakeError(ErrorCode::kInternal, "zlib: cannot start inflate");
  }
  for (auto piece = inflater.Next(); !piece.empty() && inflater.produced() <= entry.full_size;
       piece = inflater.Next()) {
    take(piece);
  }
  if (inflater.ended() && inflater.produced() == entry.full_size && inflater.consumed_all()) {
    return {};
  }
  return MakeError(ErrorCode::kMalformed,
                   fmt::format("{}: deflated data at 0x{:x} does not unpack to the {} bytes stated",
                               Shown(entry.central.name), entry.data_offset, entry.full_size),
                   entry.data_offset);
}

// Makes the checks that are possible before anything is unpacked.
Status CheckUnpackable(const ZipEntry& entry, uint64_t limit) {
  const uint64_t size = entry.full_size;
  const std::string name = Shown(entry.central.name);
  if (size > limit) {
    return MakeError(ErrorCode::kLimit,
                     fmt::format("{}: {} bytes unpacked, {} are allowed", name, size, limit),
                     entry.data_offset);
  }
  const bool deflated = entry.central.method == kDeflated;
  if (!deflated && entry.central.method != kStored) {
    return MakeError(
        ErrorCode::kUnsupported,
        fmt::format("{}: compression method {} is not read; store or deflate the member", name,
                    entry.central.method),
        entry.data_offset);
  }
  const bool possible =
      deflated ? size <= entry.data.size() * kMaxDeflateRatio : size == entry.data.size();
  if (possible) return {};
  return MakeError(ErrorCode::kMalformed,
                   fmt::format("{}: {} bytes of data at 0x{:x} cannot unpack to {}", name,
                               entry.data.size(), entry.data_offset, size),
                   entry.data_offset);
}

}  // namespace

Result<ZipArchive> ParseZip(std::span<const uint8_t> bytes) {
  ZipArchive archive;
  ANECHECK_ASSIGN(const uint64_t end_position, FindEnd(bytes));
  ByteReader file(bytes);
  ByteReader end = file.Sub(end_position, bytes.size() - end_position, "end");
  ANECHECK_RETURN_IF_ERROR(ReadEnd(end, archive));
  ByteReader before_end = file.Sub(0, end_position, "file");
  ByteReader directory =
      before_end.Sub(archive.directory_offset, archive.directory_size, "directory");
  directory.CheckCount(archive.entry_count, kDirectoryEntrySize, "entries");
  for (uint16_t i = 0; i < archive.entry_count && directory.ok(); ++i) {
    archive.entries.push_back(ReadDirectoryEntry(directory));
  }
  if (directory.ok() && !directory.AtEnd()) {
    directory.Fail(ErrorCode::kMalformed, "size", "bytes after the last entry");
  }
  if (!directory.ok()) return directory.status().error();
  ANECHECK_RETURN_IF_ERROR(ReadMembers(file, archive));
  const uint64_t directory_end = uint64_t{archive.directory_offset} + archive.directory_size;
  const auto gap = bytes.subspan(directory_end, end_position - directory_end);
  archive.gap_before_end.assign(gap.begin(), gap.end());
  return archive;
}

std::vector<uint8_t> WriteZip(const ZipArchive& archive) {
  ByteWriter writer;
  for (const size_t index : FileOrder(archive.entries)) {
    const ZipEntry& entry = archive.entries[index];
    writer.Bytes(entry.gap_before);
    writer.U32(kLocalSignature);
    WriteShared(writer, entry.local);
    writer.Text(entry.local.name);
    writer.Bytes(entry.local.extra);
    writer.Bytes(entry.data);
  }
  writer.Bytes(archive.gap_before_directory);
  for (const ZipEntry& entry : archive.entries) {
    writer.U32(kDirectorySignature);
    writer.U16(entry.version_made_by);
    WriteShared(writer, entry.central);
    ZipEntry tail;
    tail.comment_length = static_cast<uint16_t>(entry.comment.size());
    tail.disk = entry.disk;
    tail.internal_attributes = entry.internal_attributes;
    tail.external_attributes = entry.external_attributes;
    tail.local_offset = entry.local_offset;
    kEntryRecord.Write(tail, writer);
    writer.Text(entry.central.name);
    writer.Bytes(entry.central.extra);
    writer.Text(entry.comment);
  }
  writer.Bytes(archive.gap_before_end);
  writer.U32(kEndSignature);
  ZipEnd end = archive;
  end.entries_here = end.entry_count = static_cast<uint16_t>(archive.entries.size());
  end.comment_length = static_cast<uint16_t>(archive.comment.size());
  kEndRecord.Write(end, writer);
  writer.Text(archive.comment);
  return std::move(writer).Take();
}

Status AddToZip(ZipArchive& archive, std::string name, std::span<const uint8_t> content,
                bool compress) {
  if (content.size() >= UINT32_MAX || name.size() > UINT16_MAX) {
    return MakeError(ErrorCode::kLimit,
                     fmt::format("zip: member '{}' of {} bytes does not fit: a member holds less "
                                 "than 4 GiB, and its name at most 65,535 bytes",
                                 Shown(name), content.size()));
  }
  uint64_t offset = 0;
  if (!archive.entries.empty()) {
    const ZipEntry& last = archive.entries.back();
    offset = last.local_offset + kLocalSize + last.local.name.size() + last.data.size();
  }
  if (offset >= UINT32_MAX) {
    return MakeError(
        ErrorCode::kLimit,
        fmt::format("zip: member '{}' begins behind 4 GiB; write several archives", Shown(name)));
  }
  ZipEntry entry;
  entry.local_offset = static_cast<uint32_t>(offset);
  entry.full_size = content.size();
  if (compress) {
    ANECHECK_ASSIGN(entry.data, Deflate(content));
    entry.local.method = kDeflated;
  } else {
    entry.data.assign(content.begin(), content.end());
  }
  entry.local.name = std::move(name);
  entry.local.crc32 = Crc32(content);
  entry.local.size = static_cast<uint32_t>(content.size());
  entry.local.compressed_size = static_cast<uint32_t>(entry.data.size());
  entry.central = entry.local;
  archive.entries.push_back(std::move(entry));
  return {};
}

Status FinishZip(ZipArchive& archive) {
  uint64_t offset = 0;
  uint64_t size = 0;
  for (const ZipEntry& entry : archive.entries) {
    offset = entry.local_offset + kLocalSize + entry.local.name.size() + entry.data.size();
    size += kDirectoryEntrySize + entry.central.name.size();
  }
  if (offset + size >= UINT32_MAX || archive.entries.size() >= UINT16_MAX) {
    return MakeError(ErrorCode::kLimit,
                     fmt::format("zip: {} members end at {} bytes; an archive holds 65,534 members "
                                 "and less than 4 GiB: write several",
                                 archive.entries.size(), offset + size));
  }
  archive.directory_offset = static_cast<uint32_t>(offset);
  archive.directory_size = static_cast<uint32_t>(size);
  return {};
}

Status UnpackZip(const ZipEntry& entry, uint64_t limit, const TakePiece& take) {
  ANECHECK_RETURN_IF_ERROR(CheckUnpackable(entry, limit));
  uint32_t checksum = 0;
  const auto count_and_take = [&](std::span<const uint8_t> piece) {
    checksum = Crc32(piece, checksum);
    take(piece);
  };
  if (entry.central.method == kDeflated) {
    ANECHECK_RETURN_IF_ERROR(Inflate(entry, count_and_take));
  } else {
    count_and_take(entry.data);
  }
  if (checksum == entry.central.crc32) return {};
  return MakeError(
      ErrorCode::kMalformed,
      fmt::format("{}: CRC-32 of the data at 0x{:x} is 0x{:08x}, not 0x{:08x}",
                  Shown(entry.central.name), entry.data_offset, checksum, entry.central.crc32),
      entry.data_offset);
}

Result<std::vector<uint8_t>> ExtractZip(const ZipEntry& entry, uint64_t limit) {
  ANECHECK_RETURN_IF_ERROR(CheckUnpackable(entry, limit));
  std::vector<uint8_t> content;
  content.reserve(entry.full_size);
  ANECHECK_RETURN_IF_ERROR(UnpackZip(entry, limit, [&](std::span<const uint8_t> piece) {
    content.insert(content.end(), piece.begin(), piece.end());
  }));
  return content;
}

}  // namespace anecheck::npz
