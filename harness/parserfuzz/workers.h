// Threads that run one loop after another. A program dies with the thread that started it, so the
// threads live as long as the run.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace anecheck::parserfuzz {

class Workers {
 public:
  // The calling thread is the first worker, so a count of 0 means 1.
  explicit Workers(size_t count);
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  ~Workers();

  // Calls body(worker, index) for each index below `count`, on all threads. Returns when all calls
  // have returned. The calls begin in the order of the indices.
  void Run(uint64_t count, const std::function<void(size_t worker, uint64_t index)>& body);

 private:
  void Serve(size_t worker);
  void Work(size_t worker);

  std::mutex mutex_;
  std::condition_variable changed_;
  const std::function<void(size_t, uint64_t)>* body_ = nullptr;
  uint64_t next_ = 0;
  uint64_t count_ = 0;
  uint64_t round_ = 0;
  size_t at_work_ = 0;
  bool ends_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace anecheck::parserfuzz
