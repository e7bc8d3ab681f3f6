// Who may use a model when: threads, processes made by fork, and functions that throw.
#include <ascribe/ascribe.h>

#include <atomic>
#include <future>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "onnx/model_maker.h"

namespace ascribe {
namespace {

std::vector<double> sums(const Array& rows) {
  const int64_t count = rows.shape()[0], size = rows.size() / count;
  std::vector<double> answers(static_cast<size_t>(count), 0.0);
  for (int64_t i = 0; i < rows.size(); ++i) answers[static_cast<size_t>(i / size)] += rows[i];
  return answers;
}

const std::vector<double> kRow = {1, 2, 3};

Question asked() { return Question(Array(kRow)); }

// A model that is at work on a thread of its own until it is told to go on.
class AtWork {
 public:
  AtWork()
      : model(Model::function(
            [this](const Array& rows) {
              if (std::this_thread::get_id() == thread_.get_id()) {
                begun_.set_value();
                go_on_.get_future().wait();
              }
              return sums(rows);
            },
            {3}, 1)) {
    thread_ = std::thread([this] {
      may_begin_.get_future().wait();
      model.predict(asked());
    });
    may_begin_.set_value();
    begun_.get_future().wait();
  }
  ~AtWork() {
    go_on_.set_value();
    thread_.join();
  }

  Model model;

 private:
  std::promise<void> may_begin_, begun_, go_on_;
  std::thread thread_;
};

ErrorKind kind_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.kind();
  }
  ADD_FAILURE() << "nothing was thrown";
  return ErrorKind::internal;
}

TEST(Turn, WaitingForAnotherThreadCanBeStopped) {
  AtWork at_work;
  int told = 0;
  const Options options = Options().progress([&](std::string_view task, int64_t, int64_t) {
    EXPECT_EQ(task, "waiting for another thread");
    return ++told < 3;
  });
  EXPECT_EQ(kind_of([&] { at_work.model.explain(asked(), {"shapley"}, options); }), ErrorKind::cancelled);
  EXPECT_EQ(told, 3);
  EXPECT_EQ(kind_of([&] { at_work.model.json(options); }), ErrorKind::cancelled);
}

TEST(Turn, AModelAtWorkDuringAForkIsRefusedInTheChild) {
  AtWork at_work;
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(20);
    const bool refused = kind_of([&] { at_work.model.predict(asked()); }) == ErrorKind::unsupported;
    const Model other = Model::function(sums, {3}, 1);
    ::_exit(refused && Model(other).predict(asked()).values()[0] == 6 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

TEST(Turn, AModelAtRestDuringAForkIsUsedInTheChild) {
  Model model = Model::function(sums, {3}, 1);
  model.predict(asked(), Options().threads(1));
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(20);
    ::_exit(model.predict(asked(), Options().threads(1)).values()[0] == 6 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

TEST(Turn, WhatAFunctionOfTheCallersThrowsIsAsIfTheLibraryHad) {
  Model model = Model::function(sums, {3}, 1);
  for (const ErrorKind kind : {ErrorKind::argument, ErrorKind::unsupported, ErrorKind::cancelled, ErrorKind::io}) {
    const Method own("own", [&](const Asked&) -> std::vector<double> { throw Error(kind, "not this one"); });
    EXPECT_EQ(kind_of([&] { model.explain(asked(), {own}); }), kind);
    Model box = Model::function([&](const Array&) -> std::vector<double> { throw Error(kind, "no"); }, {3}, 1);
    EXPECT_EQ(kind_of([&] { box.predict(asked()); }), kind);
  }
  // One that stops the work leaves what was finished.
  const Method stops("stops", [](const Asked&) -> std::vector<double> { throw Error(ErrorKind::cancelled, ""); });
  const Explanation left = model.explain(asked(), {"shapley", stops});
  EXPECT_TRUE(left.stopped());
  ASSERT_EQ(left.methods(), 1U);
  EXPECT_EQ(left.attribution("shapley").sum(), 6);
  EXPECT_EQ(model.predict(asked()).values()[0], 6);
}

TEST(Turn, ReadingAFileCanBeStopped) {
  core::ModelMaker maker;
  maker.input("x0", {"N", 3}).output("x20000");
  for (int i = 0; i < 20000; ++i) {
    maker.node("Relu", {"x" + std::to_string(i)}, {"x" + std::to_string(i + 1)});
  }
  const auto stop = [](std::string_view, int64_t, int64_t) { return false; };
  EXPECT_EQ(kind_of([&] { Model::load_bytes(maker.bytes(), "chain.onnx", LoadOptions().progress(stop)); }),
            ErrorKind::cancelled);
}

}  // namespace
}  // namespace ascribe
