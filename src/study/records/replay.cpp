#include "study/records/replay.h"

#include <algorithm>

#include <fmt/ranges.h>

#include "base/file.h"
#include "base/sha256.h"
#include "onnx/importer.h"
#include "study/records/named_files.h"
#include "study/records/recorded_files.h"
#include "tensor/npy.h"

namespace ascribe::core::study {

namespace {

constexpr int64_t kMostMemory = int64_t{1} << 50;
constexpr size_t kMostClock = size_t{1} << 22;
constexpr size_t kMostShapes = 1000;

// ---- the record ----

std::vector<double> clock_in(const JsonPlace& record) {
  if (!record.has("clock")) return {};
  const JsonPlace place = record.at("clock");
  if (place.length() > kMostClock) place.refuse("is too long");
  std::vector<double> readings;
  for (const JsonPlace& item : place.items()) readings.push_back(item.finite());
  return readings;
}

class Replaying {
 public:
  Replaying(const ReplayRequest& request, const JsonPlace& record)
      : request_(request), record_(record), files_(request.replaced, request.folders, request.where, record) {
    result_.verb = record.text("verb");
    result_.version = record.at("program").text("version");
    result_.created = record.text_or("created", "");
    result_.command = record.text_or("command", "");
    result_.threads_then = record.at("threads").whole(1, 1 << 20);
    result_.threads_now = request.run.threads > 0 ? request.run.threads : usual_thread_count();
    result_.precision = record.text("precision");
    result_.same_version = result_.version == ASCRIBE_VERSION;
    result_.same_machine = record.at("machine").json() == machine_json();
  }

  ReplayResult run();

 private:
  // ---- contents ----

  void check(const Content& recorded, const std::string& path, const std::function<std::string()>& hash) {
    CheckedContent checked{recorded, path, "", ContentState::missing};
    try {
      checked.sha256 = hash();
      checked.state = checked.sha256 == recorded.sha256 ? ContentState::same : ContentState::changed;
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::cancelled || error.kind() == ErrorKind::internal) throw;
      checked.why = error.what();
    }
    result_.contents.push_back(std::move(checked));
  }

  void check_file(const std::string& role, const std::string& path) {
    if (const Content* recorded = files_.next(role, false)) {
      check(*recorded, path, [&] { return content_at(role, path).sha256; });
    }
  }

  void find_files(const std::vector<NamingField>& fields) {
    for (const NamingField& field : fields) {
      const std::string path = files_.locate(field.role, field.path);
      field.set(path);
      if (field.role != "data") check_file(field.role, path);  // they are opened to be hashed
    }
  }

  // Whether the work can go on: what has changed may be wanted, what is missing cannot.
  bool may_go_on() const {
    return std::all_of(result_.contents.begin(), result_.contents.end(), [&](const CheckedContent& one) {
      return one.state == ContentState::same || (request_.anyway && one.state == ContentState::changed);
    });
  }

  // What was in memory then, if somebody gives it now: a file of the same bytes, or the array as an .npy file.
  std::optional<Tensor> given_array(const std::string& role, size_t number, const Content& recorded,
                                    std::string& as_file) {
    const auto* given = files_.given(role);
    if (given == nullptr || number >= given->size()) {
      result_.contents.push_back({recorded, "", "", ContentState::missing, "it was in memory, and is not given"});
      return std::nullopt;
    }
    const std::string& path = (*given)[number];
    std::optional<Tensor> values;
    check(recorded, path, [&] {
      const std::string bytes = read_file(path);
      const std::string whole = core::sha256(bytes);
      if (whole == recorded.sha256) {
        as_file = path;
        return whole;
      }
      values = parse_npy(bytes, path).values;
      return hash_of(*values);
    });
    return values;
  }

  void find_arrays(QuestionRequest& question) {
    std::string as_file;
    for (size_t i = 0; const Content* recorded = files_.next("input", true); ++i) {
      as_file.clear();
      const auto values = given_array("input", i, *recorded, as_file);
      if (!as_file.empty()) question.rows.files.push_back(as_file);
      else if (values) question.rows.arrays.push_back({recorded->name, *values});
    }
    if (const Content* recorded = files_.next("baseline", true)) {
      if (const auto values = given_array("baseline", 0, *recorded, as_file)) question.baselines = *values;
    }
    if (const Content* recorded = files_.next("target", true)) {
      if (const auto values = given_array("target", 0, *recorded, as_file)) question.target_weights = *values;
    }
  }

  // What nobody has looked at: it was in memory, in a way that cannot be given again.
  void note_the_rest() {
    for (const Content* one : files_.left()) {
      result_.contents.push_back({*one, "", "", ContentState::missing,
                                  one->role == "method" ? "it was a function of the caller's"
                                  : one->in_memory      ? "it was in memory"
                                                        : "the request does not name it"});
    }
  }

  // ---- the model ----

  // Nothing: the record is about no model.
  std::optional<ModelSource> find_model() {
    if (!record_.has("model")) return std::nullopt;
    const JsonPlace place = record_.at("model");
    ModelSource source;
    const Content* in_file = files_.next("model", false);
    const Content* recorded = in_file != nullptr ? in_file : files_.next("model", true);
    if (recorded == nullptr) record_.at("contents").refuse("has no model");
    source.path = files_.locate("model", place.text("path"));
    if (recorded->sha256.empty()) {
      result_.contents.push_back({*recorded, "", "", ContentState::missing, "it was a function, not a file"});
    } else {
      check(*recorded, source.path, [&] { return content_of_model(source.path).sha256; });
    }
    if (result_.contents.back().state != ContentState::missing) {
      for (const DeclaredValue& input : describe_model(source.path).inputs) inputs_.push_back(input.name);
    }
    const JsonPlace shapes = place.at("shapes");
    if (shapes.members().size() > kMostShapes) shapes.refuse("is too long");
    for (const JsonMember& member : shapes.members()) {
      Shape& shape = source.shapes[member.key];
      for (const JsonPlace& extent : shapes.at(member.key).items()) {
        shape.push_back(extent.whole(1, int64_t{1} << 40));
      }
    }
    if (place.has("chosen_precision")) {
      const std::string precision = place.text("chosen_precision");
      if (precision != "float" && precision != "double") {
        place.at("chosen_precision").refuse("is neither float nor double");
      }
      source.precision = precision == "double" ? DType::f64 : DType::f32;
    }
    if (place.has("memory")) source.memory = static_cast<size_t>(place.at("memory").whole(1, kMostMemory));
    if (request_.memory) source.memory = *request_.memory;
    return source;
  }

  // ---- the verbs ----

  template <class Request>
  Request asked() const {
    Request request = blank<Request>();
    read_request(record_.at("request"), request);
    return request;
  }
  template <class Request>
  static Request blank() {
    if constexpr (std::is_same_v<Request, CompareRequest>) return Request{{}, "", ""};
    else return Request{};
  }

  Run run_of(const Run& recorded) const {
    Run run = request_.run;
    run.seed = recorded.seed;
    return run;
  }

  TimeKeeping time() {
    diary_ = std::make_shared<TimeDiary>(clock_in(record_));
    return {{}, {}, diary_};
  }

  double tolerance() const { return result_.precision == "double" ? kReplayTolerance : kReplayToleranceOfFloat; }

  template <class Result>
  void compare(const Result& now, const JsonPlace& results) {
    ComparedFindings findings(results, tolerance());
    tell(findings, now);
    result_.comparing = findings.result();
    result_.computed = true;
    if (diary_ && !diary_->followed()) {
      result_.notes.emplace_back("the work asked the clock at other times than the record has: it decided otherwise");
    }
  }
  template <class Result>
  void compare(const Result& now) {
    compare(now, record_.at("results"));
  }

  // Reports keep their numbers themselves; the record has their hashes.
  template <class Document>
  void compare_report(const Document& now, const std::optional<Document>& then) {
    if (!then) return compare(now);
    WrittenFindings kept(WrittenFindings::Keep::all);
    tell(kept, *then);
    const Json results = kept.json();
    compare(now, JsonPlace(results, request_.where));
    if (results["sha256"] == record_.at("results").at("sha256").json()) return;
    result_.comparing.agreement = Agreement::different;
    result_.notes.emplace_back("the report was changed after its record was made: its numbers are not those recorded");
  }

  // Whether the record is a member of a result.
  bool is_within() const { return &record_.json() != &request_.document; }

  // Looks at the files of a question, and opens the model if all are there.
  std::optional<Subject> ready(QuestionRequest& question, const std::vector<NamingField>& more = {});
  void predict();
  void explain();
  void decompose();
  void compare_methods();
  void audit();
  void verify();
  void evaluate();
  void compile();
  void report();
  void report_on_many();

  const ReplayRequest& request_;
  const JsonPlace& record_;
  RecordedFiles files_;
  ReplayResult result_;
  std::optional<ModelSource> source_;  // nothing: the record is about no model
  std::vector<std::string> inputs_;    // of the model
  std::shared_ptr<TimeDiary> diary_;
};

// ---- verb by verb ----

std::optional<Subject> Replaying::ready(QuestionRequest& question, const std::vector<NamingField>& more) {
  find_files(naming_fields(question, inputs_));
  find_files(more);
  find_arrays(question);
  note_the_rest();
  if (!may_go_on() || !source_) return std::nullopt;
  return Subject::open(*source_);
}

void Replaying::predict() {
  auto request = asked<PredictRequest>();
  QuestionRequest question;
  question.rows = request.rows;
  question.labels = request.labels;
  const auto subject = ready(question);
  if (!subject) return;
  request.rows = question.rows;
  request.labels = question.labels;
  request.run = run_of(request.run);
  compare(study::predict(*subject, request));
}

void Replaying::explain() {
  auto request = asked<ExplainRequest>();
  const auto subject = ready(request.question);
  request.run = run_of(request.run);
  if (subject) compare(study::explain(*subject, request));
}

void Replaying::decompose() {
  auto request = asked<DecomposeRequest>();
  const auto subject = ready(request.question);
  request.run = run_of(request.run);
  if (subject) compare(study::decompose(*subject, request));
}

void Replaying::compare_methods() {
  auto request = asked<CompareRequest>();
  const auto subject = ready(request.question);
  request.run = run_of(request.run);
  request.time = time();
  if (subject) compare(study::compare(*subject, request));
}

void Replaying::audit() {
  auto request = asked<AuditRequest>();
  std::vector<NamingField> more;
  std::string& attribution = request.attribution;
  if (!attribution.empty()) {
    more.push_back({"attribution", attribution, [&](const std::string& path) { attribution = path; }});
  }
  const auto subject = ready(request.question, more);
  request.run = run_of(request.run);
  request.time = time();
  if (subject) compare(study::audit(*subject, request));
  else if (!source_ && may_go_on()) compare(study::audit(request));
}

void Replaying::verify() {
  auto request = asked<VerifyRequest>();
  const auto subject = ready(request.question);
  request.run = run_of(request.run);
  if (request_.memory) request.memory = *request_.memory;
  if (subject) compare(study::verify(*subject, request));
  else if (!source_ && may_go_on()) compare(study::verify(request));
}

void Replaying::compile() {
  auto request = asked<CompileRequest>();
  const auto subject = ready(request.question);
  request.run = run_of(request.run);
  if (subject) compare(study::compile(*subject, request));
}

void Replaying::report() {
  auto request = asked<ReportRequest>();
  const auto subject = ready(request.question, naming_fields_of_players(request.parts, "parts"));
  if (!subject) return;
  request.run = run_of(request.run);
  request.time = time();
  std::optional<document::Document> then;
  if (is_within()) then = document::document_from(request_.document, request_.where);
  compare_report(study::report(*subject, request), then);
}

void Replaying::report_on_many() {
  auto request = asked<DatasetRequest>();
  ReportRequest& report = request.report;
  const auto subject = ready(report.question, naming_fields_of_players(report.parts, "parts"));
  if (!subject) return;
  report.run = run_of(report.run);
  report.time = time();
  std::optional<document::DatasetDocument> then;
  if (is_within()) then = document::dataset_from(request_.document, request_.where);
  compare_report(study::report_dataset(*subject, request).document, then);
}

void Replaying::evaluate() {
  auto request = asked<EvaluateRequest>();
  find_files(naming_fields(request, inputs_));
  find_arrays(request.question);
  const Content* in_file = files_.next("data", false);
  const Content* data = in_file != nullptr ? in_file : files_.next("data", true);
  if (data == nullptr) record_.at("contents").refuse("has no data");
  note_the_rest();
  std::string where = request.data;
  if (in_file == nullptr) {  // rows that were in memory
    const auto* given = files_.given("data");
    if (given == nullptr) given = files_.given("input");
    if (given != nullptr && !given->empty()) {
      where = given->front();
      request.data.clear();
      request.question.rows.arrays = {{"", parse_npy(read_file(where), where).values}};
    } else {
      result_.contents.push_back({*data, "", "", ContentState::missing, "they were in memory, and are not given"});
    }
  }
  if (!may_go_on()) return;
  const Subject subject = Subject::open(*source_);
  check(*data, where, [&] { return content_of_data(request.data, *open_samples(subject, request)).sha256; });
  if (!may_go_on()) return;
  request.run = run_of(request.run);
  if (request_.batch) request.batch = *request_.batch;
  compare(study::evaluate(subject, request));
}

ReplayResult Replaying::run() {
  struct Verb {
    std::string_view name;
    void (Replaying::*replay)();
    bool needs_model = true;
  };
  static constexpr Verb kVerbs[] = {
      {"predict", &Replaying::predict},     {"explain", &Replaying::explain},
      {"decompose", &Replaying::decompose}, {"compare", &Replaying::compare_methods},
      {"audit", &Replaying::audit, false},  {"verify", &Replaying::verify, false},
      {"evaluate", &Replaying::evaluate},   {"compile", &Replaying::compile},
      {"report", &Replaying::report},       {"report on many rows", &Replaying::report_on_many}};
  const auto verb =
      std::find_if(std::begin(kVerbs), std::end(kVerbs), [&](const Verb& one) { return one.name == result_.verb; });
  if (verb == std::end(kVerbs)) {
    record_.at("verb").refuse(fmt::format("is '{}', which this version does not know", result_.verb));
  }
  source_ = find_model();
  if (!source_ && verb->needs_model) record_.refuse("has no model");
  (this->*verb->replay)();
  return std::move(result_);
}

}  // namespace

std::vector<const CheckedContent*> ReplayResult::changed() const {
  std::vector<const CheckedContent*> list;
  for (const CheckedContent& one : contents) {
    if (one.state != ContentState::same) list.push_back(&one);
  }
  return list;
}

const Json& record_in(const Json& document, std::string_view where) {
  const JsonPlace place(document, where);
  place.members();
  const bool itself = place.text_or("format", "") == kRecordFormat;
  if (!itself && !place.has("record")) {
    fail(ErrorKind::io, where, "there is no record in it; expected a record.json, or a result with a record");
  }
  const JsonPlace record = itself ? place : place.at("record");
  record.members();
  if (record.text("format") != kRecordFormat) {
    record.at("format").refuse(fmt::format("is '{}'; expected '{}'", record.text("format"), kRecordFormat));
  }
  const int64_t version = record.at("version").whole(0, 1000000);
  if (version != kRecordVersion) {
    record.at("version").refuse(fmt::format("is {}; this program reads version {}", version, kRecordVersion));
  }
  return itself ? document : *document.find("record");
}

ReplayResult replay(const ReplayRequest& request) {
  const Json& record = record_in(request.document, request.where);
  const JsonPlace place(record, request.where);
  return Replaying(request, place).run();
}

}  // namespace ascribe::core::study
