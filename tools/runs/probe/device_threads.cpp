#include "tools/runs/probe/device_threads.h"
#include "tools/runs/probe/facts.h"
#include <algorithm>

namespace tilewise {

TaskThread::~TaskThread() {
    {
        const std::lock_guard lock(mutex_);
        ended_ = true;
    }
    changed_.notify_one();
    thread_.join();
}

void TaskThread::enqueue(std::function<void()>&& task) {
    {
        const std::lock_guard lock(mutex_);
        tasks_.push_back(std::move(task));
    }
    changed_.notify_one();
}

void TaskThread::work() {
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [this] { return ended_ || !tasks_.empty(); });
        if (tasks_.empty()) return;
        const std::function<void()> task = std::move(tasks_.front());
        tasks_.pop_front();
        lock.unlock();
        task();
        lock.lock();
    }
}

DeviceThreads::DeviceThreads(const std::string& wanted, unsigned jobs, std::chrono::milliseconds timeout) {
    auto first = std::make_unique<probe::Workers>(timeout);
    devices_ = choose_devices(probe::list_devices(*first), wanted);
    for (size_t i = 0; i < devices_.size(); ++i) {
        all_.push_back(i);
        workers_.push_back(i == 0 ? std::move(first) : std::make_unique<probe::Workers>(timeout));
        workers_.back()->prepare(jobs);
    }
    for (size_t i = 0; i < devices_.size(); ++i) threads_.emplace_back();
}

DeviceThreads::~DeviceThreads() { dismiss_workers(); }

void DeviceThreads::dismiss_workers() {
    for (size_t i = 0; i < threads_.size(); ++i) threads_[i].post([this, i] { workers_[i].reset(); });
}

std::vector<std::vector<size_t>> timing_waves(const std::vector<probe::DeviceInfo>& devices) {
    std::vector<size_t> together, alone;
    for (size_t i = 0; i < devices.size(); ++i) {
        const probe::DeviceInfo& device = devices[i];
        const bool is_by_itself = device.type == "discrete" && std::ranges::none_of(together, [&](size_t other) {
                                      return devices[other].device_uuid == device.device_uuid ||
                                             devices[other].pci_address == device.pci_address;
                                  });
        (is_by_itself ? together : alone).push_back(i);
    }
    std::vector<std::vector<size_t>> waves;
    if (!together.empty()) waves.push_back(together);
    for (const size_t i : alone) waves.push_back({i});
    return waves;
}

}  // namespace tilewise
