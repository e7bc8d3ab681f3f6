// Records that are replayed: files are found, compared with their hashes and, whether they have changed or not, the
// work is done again and its results are held against the recorded ones. Long work is stopped.
#include "study/records/replay.h"
#include "fuzz/target.h"

namespace ascribe::core::fuzz::target_replay {
namespace {

constexpr const char* kRows = "a,b,c\n1,0.5,-1\n0.2,-1,0.7\n";  // of the seeds, as their model is
constexpr auto kLongest = std::chrono::seconds(2);
constexpr size_t kMemory = size_t{64} << 20;

std::string model() { return read_file(ASCRIBE_SOURCE_DIR "/tests/fuzz/seeds/import/dense.onnx"); }

void feed(Bytes bytes) {
  static const std::string model_file = scratch_file("replayed.onnx", model());
  static const std::string rows_file = scratch_file("replayed.csv", kRows);
  study::ReplayRequest request{parse_json(text_of(bytes), "fuzz.json"), scratch("replayed.json")};
  request.replaced = {{"model", {model_file}}, {"input", {rows_file}}, {"data", {rows_file}}};
  request.anyway = true;
  request.memory = kMemory;
  request.run.threads = 1;
  const auto begun = std::chrono::steady_clock::now();
  request.run.progress = [&](std::string_view, int64_t, int64_t) {
    if (std::chrono::steady_clock::now() - begun > kLongest) cancel();
  };
  const study::ReplayResult result = replay(request);
  hold(result.computed || !result.changed().empty(), "what is not computed has a reason");
  hold(!result.computed || result.comparing.agreement == study::Agreement::different || result.comparing.numbers > 0,
       "nothing is not the same as nothing");
  to_json(result).dump();
}

const RegisterTarget registered({"replay", "records, replayed", Form::json, 4096, feed});

}  // namespace
}  // namespace ascribe::core::fuzz::target_replay
