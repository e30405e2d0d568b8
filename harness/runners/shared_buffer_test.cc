// Tests shared buffers. A process that has only the name reads the data of another process.
#include "harness/runners/shared_buffer.h"

#include <chrono>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>
#include <vector>

#include "harness/runners/executable_path.h"
#include "harness/runners/subprocess.h"
#include "harness/runners/testing/shared_buffer_peer.h"

namespace anecheck {
namespace testing {

int SharedPeerMain(const char* name) {
  auto buffer = SharedBuffer::Open(name);
  if (!buffer.ok()) return 2;
  std::vector<uint8_t> bytes(buffer->size());
  if (!buffer->Read(bytes).ok()) return 3;
  for (uint8_t& byte : bytes) ++byte;
  return buffer->Write(bytes).ok() ? 0 : 4;
}

}  // namespace testing

namespace {

using Bytes = std::vector<uint8_t>;

std::string FreshName(const char* what) { return fmt::format("test-{}-{}", getpid(), what); }

TEST(SharedBuffer, AnotherProcessReadsAndWritesIt) {
  const std::string name = FreshName("peer");
  auto buffer = SharedBuffer::Create(name, 6);
  ASSERT_TRUE(buffer.ok()) << buffer.error().message;
  ASSERT_GE(buffer->size(), 6u);
  Bytes fresh(6, 9);
  ASSERT_TRUE(buffer->Read(fresh).ok());
  EXPECT_EQ(fresh, Bytes(6, 0));
  ASSERT_TRUE(buffer->Write(Bytes{1, 2, 3, 4, 5, 255}).ok());
  const std::string command[] = {ExecutablePath(), testing::kSharedPeerArgument, name};
  auto peer = Subprocess::Start(command);
  ASSERT_TRUE(peer.ok()) << peer.error().message;
  EXPECT_EQ(peer->Stop(std::chrono::seconds(20)), "exited with code 0");
  Bytes changed(6);
  ASSERT_TRUE(buffer->Read(changed).ok());
  EXPECT_EQ(changed, (Bytes{2, 3, 4, 5, 6, 0}));
}

TEST(SharedBuffer, ItsNameIsTakenWhileItLivesAndFreeAfterwards) {
  const std::string name = FreshName("life");
  EXPECT_EQ(SharedBuffer::Open(name).error().code, ErrorCode::kNotFound);
  auto opened = SharedBuffer::Open(name);
  {
    auto buffer = SharedBuffer::Create(name, 4);
    ASSERT_TRUE(buffer.ok()) << buffer.error().message;
    EXPECT_FALSE(SharedBuffer::Create(name, 4).ok());
    ASSERT_TRUE(buffer->Write(Bytes{7}).ok());
    opened = SharedBuffer::Open(name);
    ASSERT_TRUE(opened.ok()) << opened.error().message;
  }
  EXPECT_FALSE(SharedBuffer::Open(name).ok());
  Bytes kept(1);
  ASSERT_TRUE(opened->Read(kept).ok()) << "a process that opened the memory keeps it";
  EXPECT_EQ(kept, Bytes{7});
  EXPECT_TRUE(SharedBuffer::Create(name, 4).ok());
}

TEST(SharedBuffer, RefusesNamesAndSizesThatItCannotHave) {
  for (const std::string& name : {std::string(), std::string("a/b"), std::string("a b"),
                                  std::string(101, 'a'), std::string("a\0b", 3)}) {
    EXPECT_EQ(SharedBuffer::Create(name, 1).error().code, ErrorCode::kInvalid) << name;
    EXPECT_EQ(SharedBuffer::Open(name).error().code, ErrorCode::kInvalid) << name;
  }
  EXPECT_EQ(SharedBuffer::Create(FreshName("none"), 0).error().code, ErrorCode::kInvalid);
  auto buffer = SharedBuffer::Create(FreshName("small"), 4);
  ASSERT_TRUE(buffer.ok());
  Bytes more(buffer->size() + 1);
  EXPECT_EQ(buffer->Write(more).error().code, ErrorCode::kInvalid);
  EXPECT_EQ(buffer->Read(more).error().code, ErrorCode::kInvalid);
  EXPECT_TRUE(buffer->Write({}).ok());
}

}  // namespace
}  // namespace anecheck
