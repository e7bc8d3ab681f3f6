#include "study/records/request_forms.h"

#include <algorithm>
#include <limits>

namespace ascribe::core::study {

namespace request_form {

namespace {

constexpr int64_t kMost = int64_t{1} << 53;
constexpr size_t kMostItems = size_t{1} << 24;

// ---- the two directions ----

class Writing {
 public:
  Json json = Json::object();

  void operator()(const char* key, const std::string& value) { json[key] = value; }
  void operator()(const char* key, bool value) { json[key] = value; }
  void operator()(const char* key, int value) { json[key] = value; }
  void operator()(const char* key, int64_t value) { json[key] = value; }
  void operator()(const char* key, uint64_t value) { json[key] = value; }
  void operator()(const char* key, double value) { json[key] = value; }
  template <class T>
  void operator()(const char* key, const std::vector<T>& values) {
    json[key] = values;
  }
  void operator()(const char* key, const std::optional<std::vector<double>>& values) { json[key] = values; }
  void operator()(const char* key, const std::vector<MethodWish>& wishes) {
    json[key] = Json::list();
    for (const MethodWish& wish : wishes) json[key].push(wish.name);
  }
  void operator()(const char* key, const MethodWish& wish) { json[key] = wish.name; }
  void if_any(const char* key, const std::vector<int64_t>& values) {
    if (!values.empty()) json[key] = values;
  }
  template <class T>
  void part(const char* key, T& value) {
    Writing inner;
    fields(inner, value);
    json[key] = std::move(inner.json);
  }
};

class Reading {
 public:
  explicit Reading(const JsonPlace& place) : place_(place) { place_.members(); }

  void operator()(const char* key, std::string& value) { value = at(key).text(); }
  void operator()(const char* key, bool& value) { value = at(key).truth(); }
  void operator()(const char* key, int& value) {
    value = static_cast<int>(at(key).whole(std::numeric_limits<int>::min(), std::numeric_limits<int>::max()));
  }
  void operator()(const char* key, int64_t& value) { value = at(key).whole(-kMost, kMost); }
  void operator()(const char* key, uint64_t& value) {
    const JsonPlace place = at(key);
    if (!place.json().is_integer()) place.complain("a whole number");
    value = static_cast<uint64_t>(place.json().integer());
  }
  void operator()(const char* key, double& value) { value = at(key).finite(); }
  void operator()(const char* key, std::vector<std::string>& values) { values = at(key).texts(); }
  void operator()(const char* key, std::vector<double>& values) {
    values.clear();
    for (const JsonPlace& item : items(key)) values.push_back(item.finite());
  }
  template <std::signed_integral T>
  void operator()(const char* key, std::vector<T>& values) {
    values.clear();
    for (const JsonPlace& item : items(key)) {
      values.push_back(static_cast<T>(item.whole(std::max<int64_t>(std::numeric_limits<T>::min(), -kMost),
                                                 std::min<int64_t>(std::numeric_limits<T>::max(), kMost))));
    }
  }
  void operator()(const char* key, std::optional<std::vector<double>>& values) {
    known_.push_back(key);
    if (!place_.has(key)) return;
    values.emplace();
    (*this)(key, *values);
  }
  void operator()(const char* key, std::vector<MethodWish>& wishes) {
    wishes.clear();
    for (const std::string& name : at(key).texts()) wishes.emplace_back(name);
  }
  void operator()(const char* key, MethodWish& wish) { wish = MethodWish(at(key).text()); }
  // Earlier records do not have it.
  void if_any(const char* key, std::vector<int64_t>& values) {
    known_.push_back(key);
    if (place_.has(key)) (*this)(key, values);
  }
  template <class T>
  void part(const char* key, T& value) {
    Reading inner(at(key));
    fields(inner, value);
    inner.finish();
  }

  // What is not known would be passed over, and something else computed than was asked.
  void finish() const {
    for (const JsonMember& member : place_.members()) {
      const bool known =
          std::any_of(known_.begin(), known_.end(), [&](std::string_view key) { return key == member.key; });
      if (!known) place_.refuse(fmt::format("has '{}', which this version does not know", member.key));
    }
  }

 private:
  JsonPlace at(const char* key) {
    known_.push_back(key);
    return place_.at(key);
  }
  std::vector<JsonPlace> items(const char* key) {
    const JsonPlace place = at(key);
    if (place.length() > kMostItems) place.refuse("is too long");
    return place.items();
  }

  JsonPlace place_;
  std::vector<std::string_view> known_;
};

// ---- the fields ----

void fields(auto& f, RowSource& rows) {
  f("files", rows.files);
  f("names", rows.names);
  f.if_any("numbers", rows.numbers);
  f("feature_names", rows.feature_names);
  f("rows", rows.rows);
  f("columns", rows.columns);
  f("preprocess", rows.preprocess);
}

void fields(auto& f, QuestionRequest& question) {
  f.part("rows", question.rows);
  f("labels", question.labels);
  f("label_names", question.label_names);
  f("tokens", question.tokens);
  f("players", question.players);
  f("owners", question.owners);
  f("player_names", question.player_names);
  f("baseline", question.baseline);
  f("target", question.target);
  f("targets", question.targets);
  f("explain", question.explain);
  f("output", question.output);
  f("input", question.input);
  f("at", question.at);
}

void fields(auto& f, Run& run) { f("seed", run.seed); }

void fields(auto& f, PredictRequest& request) {
  f.part("rows", request.rows);
  f("labels", request.labels);
  f("label_names", request.label_names);
  f.part("run", request.run);
}

void fields(auto& f, ExplainRequest& request) {
  f.part("question", request.question);
  f("methods", request.methods);
  f("settings", request.settings);
  f("allocations", request.allocations);
  f("trace", request.trace);
  f("absence", request.absence);
  f.part("run", request.run);
}

void fields(auto& f, EstimateWish& wish) {
  f("estimator", wish.estimator);
  f("budget", wish.budget);
  f("aim", wish.aim);
  f("order", wish.order);
}

void fields(auto& f, DecomposeRequest& request) {
  f.part("question", request.question);
  f("index", request.index);
  f("influence", request.influence);
  f("absence", request.absence);
  f("samples", request.samples);
  f("taylor", request.taylor);
  f("order", request.order);
  f("top", request.top);
  f("at_any_cost", request.at_any_cost);
  f("estimate", request.estimate);
  f.part("wish", request.wish);
  f("and_or", request.and_or);
  f.part("run", request.run);
}

void fields(auto& f, CompareRequest& request) {
  f.part("question", request.question);
  f("first", request.first);
  f("second", request.second);
  f("settings", request.settings);
  f("budget", request.budget);
  f.part("run", request.run);
}

void fields(auto& f, AuditRequest& request) {
  f.part("question", request.question);
  f("methods", request.methods);
  f("settings", request.settings);
  f("attribution", request.attribution);
  f("values", request.values);
  f("budget", request.budget);
  f.part("run", request.run);
}

void fields(auto& f, VerificationOptions& options) {
  f("methods", options.methods);
  f("sigmas", options.sigmas);
  f("orders", options.orders);
  f("draws", options.draws);
  f("permutations", options.permutations);
  f("window", options.window);
  f("most_terms", options.most_terms);
}

void fields(auto& f, VerifyRequest& request) {
  f.part("question", request.question);
  f.part("verification", request.verification);
  f("inputs", request.inputs);
  f("smooth", request.smooth);
  f.part("run", request.run);
}

void fields(auto& f, DatasetOptions& options) {
  f("format", options.format);
  f("part", options.part);
  f("labels", options.labels);
  f("boxes", options.boxes);
  f("annotations", options.annotations);
}

void fields(auto& f, EvaluateRequest& request) {
  f("data", request.data);
  f.part("options", request.options);
  f.part("question", request.question);
  f("classes", request.facts.classes);
  f("methods", request.methods);
  f("settings", request.settings);
  f("metrics", request.metrics);
  f("metric_settings", request.metric_settings);
  f("samples", request.samples);
  f("skip", request.skip);
  f("batch", request.batch);
  f("shuffle", request.shuffle);
  f("only_correct", request.only_correct);
  f("most_box", request.most_box);
  f.part("run", request.run);
}

void fields(auto& f, CompileRequest& request) {
  f("method", request.method);
  f("settings", request.settings);
  f("target", request.target);
  f.part("question", request.question);
  f.part("run", request.run);
}

void fields(auto& f, ReportRequest& request) {
  f.part("question", request.question);
  f("methods", request.methods);
  f("settings", request.settings);
  f("metrics", request.metrics);
  f("title", request.title);
  f("parts", request.parts);
  f("budget", request.budget);
  f("most_rows", request.most_rows);
  f.part("run", request.run);
}

void fields(auto& f, DatasetRequest& request) {
  f.part("report", request.report);
  f("rows", request.rows);
  f("pages", request.pages);
  f("batch", request.batch);
}

template <class Request>
Json written(const Request& request) {
  Writing writing;
  fields(writing, const_cast<Request&>(request));  // which is only read
  return std::move(writing.json);
}

template <class Request>
void read(const JsonPlace& place, Request& request) {
  Reading reading(place);
  fields(reading, request);
  reading.finish();
}

}  // namespace

}  // namespace request_form

Json request_json(const PredictRequest& request) { return request_form::written(request); }
Json request_json(const ExplainRequest& request) { return request_form::written(request); }
Json request_json(const DecomposeRequest& request) { return request_form::written(request); }
Json request_json(const CompareRequest& request) { return request_form::written(request); }
Json request_json(const AuditRequest& request) { return request_form::written(request); }
Json request_json(const VerifyRequest& request) { return request_form::written(request); }
Json request_json(const EvaluateRequest& request) { return request_form::written(request); }
Json request_json(const CompileRequest& request) { return request_form::written(request); }
Json request_json(const ReportRequest& request) { return request_form::written(request); }
Json request_json(const DatasetRequest& request) { return request_form::written(request); }

void read_request(const JsonPlace& place, PredictRequest& request) { request_form::read(place, request); }
void read_request(const JsonPlace& place, ExplainRequest& request) { request_form::read(place, request); }
void read_request(const JsonPlace& place, DecomposeRequest& request) { request_form::read(place, request); }
void read_request(const JsonPlace& place, CompareRequest& request) { request_form::read(place, request); }
void read_request(const JsonPlace& place, AuditRequest& request) { request_form::read(place, request); }
void read_request(const JsonPlace& place, VerifyRequest& request) { request_form::read(place, request); }
void read_request(const JsonPlace& place, EvaluateRequest& request) { request_form::read(place, request); }
void read_request(const JsonPlace& place, CompileRequest& request) { request_form::read(place, request); }
void read_request(const JsonPlace& place, ReportRequest& request) { request_form::read(place, request); }
void read_request(const JsonPlace& place, DatasetRequest& request) { request_form::read(place, request); }

}  // namespace ascribe::core::study
