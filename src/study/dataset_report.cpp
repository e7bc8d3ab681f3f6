#include "study/dataset_report.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include "data/rows.h"
#include "study/dataset_parts.h"
#include "study/few_players.h"
#include "study/pixels.h"
#include "study/report_sections.h"

namespace ascribe::core::study {

namespace {

using document::DatasetDocument, document::RowKind;

constexpr int64_t kCells = 7, kCoarseCells = 4, kSegments = 24;  // features of images and series
constexpr double kSmallWork = 5e6;  // multiply-adds per row: such a model is asked about many cells
constexpr int64_t kMostLooks = 64;  // rows that are tried until one can be asked about
constexpr size_t kPagesOfDisagreement = 6, kPagesOfMisses = 3;
constexpr double kLongestPage = 10, kShortestPage = 0.4;  // seconds

// Any row that can be asked about tells what all of them are.
RowQuestion first_question(RowStream& stream, const ChosenRows& rows) {
  std::vector<int64_t> numbers = rows.numbers;
  if (std::ssize(numbers) > kMostLooks) numbers.resize(kMostLooks);
  std::string why;
  for (const int64_t number : numbers) {
    AskedRows asked = stream.ask(std::array{number});
    if (!asked.questions.empty()) return std::move(asked.questions[0]);
    if (why.empty()) why = asked.failures[0].reason;
  }
  fail(ErrorKind::numeric, "rows", "none of {} rows can be explained; the first: {}", numbers.size(), why);
}

// Features that all rows have, few enough to be read.
void choose_features(QuestionRequest& request, const RowQuestion& first, double work, Running& running) {
  if (request.chose_players() || first.tokens) return;
  const Players& players = first.players;
  if (players.image) {
    const int64_t cells = work <= kSmallWork ? kCells : kCoarseCells;
    if (players.count() <= cells * cells) return;
    request.players =
        fmt::format("grid:{}x{}", std::min(cells, players.image->height), std::min(cells, players.image->width));
  } else if (players.series && players.count() > kSegments) {
    request.players = segments_text(*players.series, kSegments);
  } else {
    return;
  }
  running.note(fmt::format("players: {}; `players` chooses others", request.players));
}

std::string noun_of(const DatasetDocument& document) {
  switch (document.kind) {
    case RowKind::image: return "region";
    case RowKind::series: return "step";
    case RowKind::text: return "word";
    case RowKind::sequence: return "position";
    default: return "column";
  }
}

document::Facts settings_of(const DatasetWork& work, const RowQuestion& first) {
  const ReportRequest& request = work.request.report;
  document::Facts facts;
  if (!request.command.empty()) facts.push_back({"command", request.command});
  facts.insert(facts.end(), {{"seed", request.run.seed},
                             {"threads", thread_count()},
                             {"budget", request.budget},
                             {"rows", work.request.rows},
                             {"precision", to_string(work.stream.subject().model().precision())},
                             {"explain", first.explains},
                             {"target", work.question.target_text()},
                             {"baseline", first.baselines_text()},
                             {"players", first.players.description}});
  if (first.picture && first.picture->preprocess) {
    facts.push_back({"preprocess", describe(*first.picture->preprocess)});
  }
  return facts;
}

// The owner of each pixel of the picture that is shown, which may be smaller than the input.
std::vector<int32_t> shown_owners(const RowQuestion& first, const Image& picture) {
  const std::vector<int32_t> owners = pixel_owners(first.players);
  const int64_t height = first.players.image->height, width = first.players.image->width;
  std::vector<int32_t> shown;
  for (int64_t y = 0; y < picture.height; ++y) {
    for (int64_t x = 0; x < picture.width; ++x) {
      const int64_t from_y = std::min(height - 1, (2 * y + 1) * height / (2 * picture.height));
      const int64_t from_x = std::min(width - 1, (2 * x + 1) * width / (2 * picture.width));
      shown.push_back(owners[static_cast<size_t>(from_y * width + from_x)]);
    }
  }
  return shown;
}

// Features whose baseline lies beyond all values that the rows have: "without it" then means something that never
// happens.
std::vector<size_t> far_from_rows(const DatasetDocument& document, const StudiedRows& studied,
                                  const RowQuestion& first) {
  std::vector<size_t> far;
  const int64_t size = element_count(first.row);
  for (size_t f = 0; f < document.features.size(); ++f) {
    if (!document.features[f].number || !document.features[f].categories.empty()) continue;
    const std::vector<int32_t>& owner = first.players.owner;
    const int64_t element = std::find(owner.begin(), owner.end(), static_cast<int32_t>(f)) - owner.begin();
    double low = studied.rows[0].values[f], high = low;
    for (const RowRecord& row : studied.rows) {
      low = std::min(low, row.values[f]);
      high = std::max(high, row.values[f]);
    }
    const double room = high - low;
    bool beyond = room > 0;
    for (int64_t b = 0; b < first.baseline_count(); ++b) {
      const double value = first.baselines.at(b * size + element);
      beyond = beyond && (value < low - room || value > high + room);
    }
    if (beyond) far.push_back(f);
  }
  return far;
}

// ---- pages of single rows ----

// The request about one row; nothing if its file is not known.
std::optional<QuestionRequest> question_about(const QuestionRequest& given, int64_t row, const std::string& source) {
  QuestionRequest question = given;
  const bool folder = question.rows.files.size() == 1 && std::filesystem::is_directory(question.rows.files[0]);
  if (!folder) {
    question.rows.rows = {std::to_string(row)};
    return question;
  }
  const std::filesystem::path file = std::filesystem::path(question.rows.files[0]) / source;
  if (!std::filesystem::is_regular_file(file)) return std::nullopt;
  question.rows.files = {file.string()};
  question.rows.rows.clear();
  return question;
}

// A table of which one cell cannot be read cannot be read at all; the row itself can be asked about all the same.
std::optional<QuestionRequest> question_with(const QuestionRequest& given, RowStream& stream, int64_t row) {
  if (!given.rows.preprocess.empty()) return std::nullopt;
  AskedRows asked = stream.ask(std::array{row});
  if (asked.questions.empty() || row_kind(asked.questions[0]) != RowKind::table) return std::nullopt;
  const RowQuestion& question = asked.questions[0];
  if (question.point.size() != 1 || !question.entered.empty()) return std::nullopt;
  QuestionRequest own = given;
  own.rows = {};
  own.rows.arrays = {{"", question.x()}};
  own.rows.names = {question.source};
  own.rows.in_memory = given.rows.in_memory;
  if (question.players.count() == element_count(question.row)) own.rows.feature_names = question.players.names;
  return own;
}

struct WantedPage {
  int64_t row = 0;
  std::string source;
};

std::vector<WantedPage> wanted_pages(const DatasetDocument& document, int64_t most) {
  std::vector<WantedPage> wanted;
  const auto add = [&](int64_t row, const std::string& source) {
    const bool known = std::any_of(wanted.begin(), wanted.end(), [&](const WantedPage& one) { return one.row == row; });
    if (!known && std::ssize(wanted) < most) wanted.push_back({row, source});
  };
  const auto first = [&](const std::vector<document::ListedRow>& list, size_t count) {
    for (size_t i = 0; i < std::min(count, list.size()); ++i) add(list[i].number, list[i].source);
  };
  first(document.disagreements, kPagesOfDisagreement);
  first(document.misses, kPagesOfMisses);
  if (document.groups) {
    for (const document::ExplanationGroup& group : document.groups->groups) add(group.typical, group.typical_source);
  }
  return wanted;
}

std::string row_command_of(const std::string& pattern, int64_t row) {
  std::string command = pattern;
  for (size_t at = 0; (at = command.find("{row}", at)) != std::string::npos;) {
    command.replace(at, 5, std::to_string(row));
  }
  return command;
}

// Nothing if the row cannot be read again; its command will say what is wrong.
std::optional<document::Document> page_of(const Subject& given, ReportRequest request, const DatasetWork& work,
                                          int64_t row) {
  try {
    return study::report(given, request);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::io && error.kind() != ErrorKind::numeric) throw;
  }
  const auto own = question_with(work.request.report.question, work.stream, row);
  if (!own) return std::nullopt;
  request.question = *own;
  return study::report(given, request);
}

std::vector<RowPageOf> make_pages(DatasetDocument& document, const Subject& given, const DatasetWork& work) {
  std::vector<RowPageOf> pages;
  const std::vector<WantedPage> wanted = wanted_pages(document, work.request.pages);
  for (size_t i = 0; i < wanted.size(); ++i) {
    const auto question = question_about(work.request.report.question, wanted[i].row, wanted[i].source);
    if (!question) continue;
    const double each = work.spending.left() / static_cast<double>(wanted.size() - i);
    if (work.spending.limited() && each < kShortestPage) {
      work.spending.cut({"pages of single rows", fmt::format("{} of {} pages were made", pages.size(), wanted.size()),
                         "their commands make the others"});
      break;
    }
    core::report(work.running.progress_of("pages of single rows"), "rows", static_cast<int64_t>(i), std::ssize(wanted));
    ReportRequest request = work.request.report;
    request.question = *question;
    request.title = fmt::format("Row {} ({})", wanted[i].row, wanted[i].source);
    request.budget = work.spending.limited() ? fmt::format("{:.3f}s", std::min(kLongestPage, each)) : kUsualBudget;
    request.command = row_command_of(work.request.row_command, wanted[i].row);
    request.run.note = {};
    request.run.begin = {};
    const bool done =
        work.spending.within(work.spending.at_least(2 * each), {fmt::format("page of row {}", wanted[i].row)},
                             work.running.progress(), [&](const Progress& progress) {
                               request.run.progress = progress;
                               if (auto page = page_of(given, request, work, wanted[i].row)) {
                                 pages.push_back({wanted[i].row, std::move(*page)});
                               }
                             });
    if (!done) break;
  }
  for (const RowPageOf& page : pages) document.pages.push_back(page.row);
  return pages;
}

}  // namespace

int64_t count_rows(const Subject& subject, const QuestionRequest& request, uint64_t seed) {
  std::vector<std::string> notes;
  const auto stream = open_rows(subject, request, seed, notes);
  return std::ssize(select_rows(request.rows.rows, stream->size(), "row", request.rows.where()));
}

DatasetReport report_dataset(const Subject& given, const DatasetRequest& request) {
  check_report(request.report);
  if (request.rows < 1) fail(ErrorKind::argument, "rows", "got {}; expected at least one", request.rows);
  Spending spending(Budget::parse(request.report.budget), request.report.time);
  Running running(request.report.run);
  QuestionRequest question = request.report.question;
  std::vector<std::string> notes;
  const auto stream = open_rows(given, question, running.seed(), notes);
  const Subject& subject = stream->subject();
  ExplainedModel& model = subject.explained(options_for_any_row(question, subject.outer().graph()));
  DatasetWork work{request, question, *stream, model, row_work(subject.model()), running, spending, {}};
  const ChosenRows rows = choose_rows(work);
  RowQuestion first = first_question(*stream, rows);
  choose_features(question, first, static_cast<double>(work.work_per_row), running);
  first = first_question(*stream, rows);
  running.begin(std::ssize(rows.numbers));
  work.pace = pace_for(model, first, request.report.time, spending);
  const StudiedRows studied = study_rows(work, rows, first);

  DatasetReport report;
  DatasetDocument& document = report.document;
  document.kind = row_kind(first);
  document.data = stream->description();
  document.rows_in_data = stream->size();
  document.rows_wanted = std::min(request.rows, rows.among);
  document.sampling = rows.words;
  document.baseline = first.baselines_text();
  document.noun = noun_of(document);
  document.row_command = request.row_command;
  add_summaries(document, studied, first);
  document.far_baseline = far_from_rows(document, studied, first);
  choose_trusted(document, studied, work);
  add_rows(document, studied);
  add_effects(document, studied, work, subject);
  add_groups(document, studied, work);
  add_pictures(document, work);
  if (document.picture) document.owner = shown_owners(first, *document.picture);
  report.pages = make_pages(document, given, work);

  document.head.title = request.report.title;
  if (document.head.title.empty()) {
    document.head.title = fmt::format("{}: {} rows", subject.name(), document.rows_explained);
  }
  document.head.program = {"ascribe", ASCRIBE_VERSION};
  document.head.created = request.report.created;
  document.head.model = facts_of_model(subject);
  document.head.settings = settings_of(work, first);
  std::sort(notes.begin(), notes.end());
  notes.erase(std::unique(notes.begin(), notes.end()), notes.end());
  running.note(notes);
  running.note(subject.model().notes());
  running.note(model.notes());
  document.head.notes = running.notes();
  document.head.time = time_facts(spending, work.pace);
  document.head.seconds = document::number(spending.spent());
  return report;
}

}  // namespace ascribe::core::study
