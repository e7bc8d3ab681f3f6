// Whole files as rows of a model: what kind of file it is is told from its content and from its name, its first byte
// says which of some names it has.
#include <cmath>

#include "data/inputs.h"
#include "fuzz/target.h"

namespace ascribe::core::fuzz::target_inputs {
namespace {

constexpr const char* kNames[] = {"a.csv",    "a.png", "a.npy", "a.npz", "a.csv.gz",
                                  "a.idx.gz", "a.txt", "a.ids", "a.jpg"};

void fit_to(const Source& source, const InputSlot& slot) {
  std::vector<std::string> notes;
  const Batch batch = fit(source, 0, slot, {}, notes);
  for (int64_t i = 0; i < batch.values.size(); ++i) hold(std::isfinite(batch.values.at(i)), "rows are finite");
  hold(batch.values.shape().size() == slot.row.size() + 1, "rows come first");
}

void feed(Bytes bytes) {
  if (bytes.empty()) return;
  const Source source = parse_source(text_of(bytes.subspan(1)), kNames[bytes[0] % std::size(kNames)]);
  if (source.image && source.image->pixels.size() > 1 << 16) return;
  for (const InputSlot& slot : {InputSlot{.name = "x", .row = {3}, .shape_text = "[N, 3]"},
                                InputSlot{.name = "x", .row = {1, 4, 4}, .shape_text = "[N, 1, 4, 4]"},
                                InputSlot{.name = "x", .row = {2}, .dtype = DType::i64, .shape_text = "[N, 2]"}}) {
    try {
      fit_to(source, slot);
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::internal) throw;
    }
  }
}

const RegisterTarget registered({"inputs", "files of rows, of any kind", Form::bytes, 2048, feed});

}  // namespace
}  // namespace ascribe::core::fuzz::target_inputs
