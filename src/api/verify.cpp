#include <limits>

#include "api/recorded.h"
#include "base/file.h"
#include "study/smoothing_files.h"
#include "study/verify.h"

namespace ascribe {

struct Verification::State {
  core::study::VerifyResult result;
  std::string record = {};
  std::vector<std::string> notes = {};
};

namespace {

namespace study = core::study;

void check(const study::VerifyRequest& request) {
  const auto refuse = [](const char* what, auto got) {
    core::fail(core::ErrorKind::argument, what, "got {}; expected a positive number", got);
  };
  for (const int order : request.verification.orders) {
    if (order < 1) refuse("orders", order);
  }
  for (const double sigma : request.verification.sigmas) {
    if (!(sigma > 0)) refuse("sigmas", sigma);
  }
  for (const double temperature : request.smooth) {
    if (!(temperature > 0)) refuse("smooth", temperature);
  }
  if (request.verification.draws < 1) refuse("draws", request.verification.draws);
  if (request.inputs < 1) refuse("inputs", request.inputs);
}

study::VerifyRequest request_of(const Question& question, const std::vector<std::string>& methods,
                                const Options::State& how) {
  study::VerifyRequest request;
  request.question = question.state().request;
  request.verification.methods = methods;
  if (how.given.contains("sigmas")) request.verification.sigmas = how.sigmas;
  if (how.given.contains("orders")) request.verification.orders = how.orders;
  if (how.given.contains("draws")) request.verification.draws = how.draws;
  if (how.given.contains("inputs")) request.inputs = how.inputs;
  request.smooth = how.smooth;
  request.run = how.run;
  check(request);
  return request;
}

void add_errors(std::vector<OrderError>& list, const study::VerifiedModel& verified, double temperature) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  for (const core::SigmaResult& of_sigma : verified.result.sigmas) {
    for (const core::FittingError& error : of_sigma.methods) {
      for (const core::OrderError& order : error.orders) {
        const bool some = error.inside > 0;
        list.push_back({error.method, temperature, of_sigma.sigma, order.order, some ? order.inside.mean : kNone,
                        some ? order.inside.standard_error : kNone, error.inputs, error.inside, outcome(error)});
      }
    }
  }
}

std::vector<std::string> notes_of(const study::VerifyResult& result) {
  std::vector<std::string> notes;
  for (const auto& one : result.models) notes.insert(notes.end(), one.notes.begin(), one.notes.end());
  for (const auto& one : result.smoothed) {
    notes.insert(notes.end(), one.verified.notes.begin(), one.verified.notes.end());
  }
  return notes;
}

// What one model at one temperature was asked: all are asked the same.
const core::VerificationResult& any(const study::VerifyResult& result) {
  return result.smoothed.empty() ? result.models[0].result : result.smoothed[0].verified.result;
}

}  // namespace

Verification Model::verify(const Question& question, const std::vector<std::string>& methods, const Options& options) {
  return verb(state_, options, [&] {
    const Options::State& how = options.state();
    how.check("verify", {"orders", "sigmas", "draws", "inputs", "smooth", "record"});
    const study::VerifyRequest request = request_of(question, methods, how);
    const auto state =
        recorded<Verification::State>(how, &state_->subject, request, study::verify(state_->subject, request));
    state->notes = notes_of(state->result);
    return Verification(state);
  });
}

std::vector<std::string> Verification::methods() const {
  std::vector<std::string> names;
  if (any(state_->result).sigmas.empty()) return names;
  for (const auto& one : any(state_->result).sigmas[0].methods) names.push_back(one.method);
  return names;
}

std::vector<double> Verification::sigmas() const {
  std::vector<double> list;
  for (const auto& one : any(state_->result).sigmas) list.push_back(one.sigma);
  return list;
}

std::vector<int> Verification::orders() const {
  std::vector<int> list;
  const auto& sigmas = any(state_->result).sigmas;
  if (sigmas.empty() || sigmas[0].methods.empty()) return list;
  for (const auto& one : sigmas[0].methods[0].orders) list.push_back(one.order);
  return list;
}

std::vector<OrderError> Verification::errors() const {
  std::vector<OrderError> list;
  for (const study::VerifiedModel& one : state_->result.models) add_errors(list, one, 0);
  for (const study::SmoothedModel& one : state_->result.smoothed) add_errors(list, one.verified, one.temperature);
  return list;
}

const std::vector<std::string>& Verification::notes() const { return state_->notes; }
std::string Verification::json() const { return to_json(state_->result).dump(); }
std::string Verification::record_json() const { return state_->record; }

void Verification::save(const std::string& folder, bool force) const {
  translated([&] {
    if (state_->result.smoothed.empty()) {
      core::fail(core::ErrorKind::argument, folder, "only what `smooth` finds is written to a folder");
    }
    write_folder(folder, with_record(study::smoothing_files(state_->result, to_json(state_->result)), state_->record),
                 force);
  });
}

}  // namespace ascribe
