// Mutations that keep a file an ONNX model, so that the fuzzer gets past the parser: a number,
// name, operator or byte string somewhere in it changes, or a part is copied, moved or removed.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <onnx/onnx_pb.h>

#include "fuzz/mutators/mutators.h"
#include "onnx/lowering.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace ascribe::core::fuzz {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;
using Random = std::minstd_rand;

struct Slot {
  Message* message;
  const FieldDescriptor* field;
  int index;  // -1: not repeated
};

void collect(Message& message, std::vector<Slot>& slots, std::vector<std::string>& texts) {
  const Reflection* reflection = message.GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection->ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    const int count = field->is_repeated() ? reflection->FieldSize(message, field) : 1;
    for (int i = 0; i < count && i < 64; ++i) {
      const int index = field->is_repeated() ? i : -1;
      slots.push_back({&message, field, index});
      if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
        collect(index < 0 ? *reflection->MutableMessage(&message, field)
                          : *reflection->MutableRepeatedMessage(&message, field, i),
                slots, texts);
      } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
        texts.push_back(index < 0 ? reflection->GetString(message, field)
                                  : reflection->GetRepeatedString(message, field, i));
      }
    }
  }
}

int64_t mutated(int64_t value, Random& random) {
  constexpr int64_t kInteresting[] = {0,
                                      1,
                                      2,
                                      3,
                                      4,
                                      5,
                                      7,
                                      -1,
                                      -2,
                                      -3,
                                      16,
                                      255,
                                      256,
                                      1000,
                                      1 << 20,
                                      1LL << 31,
                                      1LL << 40,
                                      1LL << 62,
                                      std::numeric_limits<int64_t>::max(),
                                      std::numeric_limits<int64_t>::min()};
  switch (random() % 4) {
    case 0: return static_cast<int64_t>(static_cast<uint64_t>(value) + 1);
    case 1: return static_cast<int64_t>(static_cast<uint64_t>(value) - 1);
    default: return kInteresting[random() % std::size(kInteresting)];
  }
}

double mutated(double value, Random& random) {
  const double interesting[] = {0, 1, -1, 0.5, NAN, INFINITY, -INFINITY, 1e30, 1e-30, -value, value * 2};
  return interesting[random() % std::size(interesting)];
}

std::string mutated(const Slot& slot, std::string text, const std::vector<std::string>& texts, Random& random) {
  if (slot.field->name() == "op_type") {
    const auto& lowerings = LoweringRegistry::instance().entries();
    const std::string& name = std::next(lowerings.begin(), random() % lowerings.size())->first;
    return name.substr(name.rfind('.') + 1);
  }
  if (slot.field->type() != FieldDescriptor::TYPE_BYTES && random() % 4 != 0) return texts[random() % texts.size()];
  const size_t size = text.size();
  text.resize(size + 16);
  text.resize(LLVMFuzzerMutate(reinterpret_cast<uint8_t*>(text.data()), size, text.size()));
  return text;
}

void mutate_repeated(const Slot& slot, Random& random) {
  const Reflection* reflection = slot.message->GetReflection();
  const int count = reflection->FieldSize(*slot.message, slot.field);
  if (random() % 2 == 0) return reflection->SwapElements(slot.message, slot.field, slot.index, random() % count);
  reflection->SwapElements(slot.message, slot.field, slot.index, count - 1);
  reflection->RemoveLast(slot.message, slot.field);
}

// Sets the slot to a changed value through the right accessor of protobuf's reflection.
void mutate(const Slot& slot, const std::vector<std::string>& texts, Random& random) {
  const Reflection* r = slot.message->GetReflection();
  Message* m = slot.message;
  const FieldDescriptor* f = slot.field;
  if (slot.index >= 0 && random() % 8 == 0) return mutate_repeated(slot, random);
  const bool one = slot.index < 0;
  const int i = slot.index;
  switch (f->cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT64:
      if (one) r->SetInt64(m, f, mutated(r->GetInt64(*m, f), random));
      else r->SetRepeatedInt64(m, f, i, mutated(r->GetRepeatedInt64(*m, f, i), random));
      return;
    case FieldDescriptor::CPPTYPE_INT32:
      if (one) r->SetInt32(m, f, static_cast<int32_t>(mutated(int64_t{r->GetInt32(*m, f)}, random)));
      else r->SetRepeatedInt32(m, f, i, static_cast<int32_t>(mutated(int64_t{r->GetRepeatedInt32(*m, f, i)}, random)));
      return;
    case FieldDescriptor::CPPTYPE_FLOAT:
      if (one) r->SetFloat(m, f, static_cast<float>(mutated(double{r->GetFloat(*m, f)}, random)));
      else r->SetRepeatedFloat(m, f, i, static_cast<float>(mutated(double{r->GetRepeatedFloat(*m, f, i)}, random)));
      return;
    case FieldDescriptor::CPPTYPE_STRING:
      if (one) r->SetString(m, f, mutated(slot, r->GetString(*m, f), texts, random));
      else r->SetRepeatedString(m, f, i, mutated(slot, r->GetRepeatedString(*m, f, i), texts, random));
      return;
    case FieldDescriptor::CPPTYPE_MESSAGE:
      if (one) r->ClearField(m, f);
      else r->AddMessage(m, f)->CopyFrom(r->GetRepeatedMessage(*m, f, i));
      return;
    default: return;
  }
}

}  // namespace

size_t mutate_model(const Mutated& input) {
  std::minstd_rand random(input.seed);
  onnx::ModelProto model;
  if (random() % 8 == 0 || !model.ParseFromArray(input.data, static_cast<int>(input.size))) return input.bytes();
  for (unsigned round = random() % 3 + 1; round > 0; --round) {
    std::vector<Slot> slots;
    std::vector<std::string> texts;
    collect(model, slots, texts);
    if (slots.empty() || texts.empty()) return input.bytes();
    mutate(slots[random() % slots.size()], texts, random);
  }
  return input.take(model.SerializeAsString());
}

}  // namespace ascribe::core::fuzz
