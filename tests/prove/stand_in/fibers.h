// Runs the invocations of a workgroup one after another, each up to the next barrier: a GPU runs them at once.
#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <ucontext.h>
#include <vector>

class Fibers {
public:
    /// Runs `body(i)` for each i below `count`; calls `before(i)` each time before i continues.
    static void run(unsigned count, const std::function<void(unsigned)>& body,
                    const std::function<void(unsigned)>& before) {
        constexpr std::size_t stack_bytes = 1 << 18;
        Fibers all;
        current() = &all;
        all.body_ = &body;
        all.fibers_.resize(count);
        for (unsigned i = 0; i < count; i++) {
            Fiber& fiber = all.fibers_[i];
            // Not initialized: untouched pages take no memory.
            fiber.stack.reset(new char[stack_bytes]);
            getcontext(&fiber.context);
            fiber.context.uc_stack.ss_sp = fiber.stack.get();
            fiber.context.uc_stack.ss_size = stack_bytes;
            fiber.context.uc_link = &all.caller_;
            makecontext(&fiber.context, &Fibers::begin, 0);
        }
        for (bool is_alive = true; is_alive;) {
            is_alive = false;
            for (unsigned i = 0; i < count; i++) {
                if (all.fibers_[i].has_ended) continue;
                all.at_ = i;
                before(i);
                swapcontext(&all.caller_, &all.fibers_[i].context);
                is_alive |= !all.fibers_[i].has_ended;
            }
        }
        current() = nullptr;
    }
    static void barrier() {
        Fibers& all = *current();
        swapcontext(&all.fibers_[all.at_].context, &all.caller_);
    }

private:
    struct Fiber {
        ucontext_t context = {};
        std::unique_ptr<char[]> stack;
        bool has_ended = false;
    };
    static Fibers*& current() {
        static Fibers* all = nullptr;
        return all;
    }
    static void begin() {
        Fibers& all = *current();
        (*all.body_)(all.at_);
        all.fibers_[all.at_].has_ended = true;
    }

    const std::function<void(unsigned)>* body_ = nullptr;
    std::vector<Fiber> fibers_;
    ucontext_t caller_ = {};
    unsigned at_ = 0;
};
