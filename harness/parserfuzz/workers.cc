#include "harness/parserfuzz/workers.h"

namespace anecheck::parserfuzz {

Workers::Workers(size_t count) {
  for (size_t worker = 1; worker < count; ++worker) {
    threads_.emplace_back([this, worker] { Serve(worker); });
  }
}

Workers::~Workers() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Workers::Run(uint64_t count, const std::function<void(size_t, uint64_t)>& body) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    body_ = &body;
    next_ = 0;
    count_ = count;
    at_work_ = threads_.size();
    ++round_;
  }
  changed_.notify_all();
  Work(0);
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [this] { return at_work_ == 0; });
}

void Workers::Serve(size_t worker) {
  for (uint64_t done = 0;; ++done) {
    {
      std::unique_lock<std::mutex> lock(mutex_);
      changed_.wait(lock, [&] { return ends_ || round_ > done; });
      if (ends_) return;
    }
    Work(worker);
    const std::lock_guard<std::mutex> lock(mutex_);
    if (--at_work_ == 0) changed_.notify_all();
  }
}

void Workers::Work(size_t worker) {
  for (;;) {
    uint64_t index = 0;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (next_ >= count_) return;
      index = next_++;
    }
    (*body_)(worker, index);
  }
}

}  // namespace anecheck::parserfuzz
