#include "serve/session.h"

#include <fmt/ranges.h>

#include "base/inflate.h"
#include "base/unpacking.h"
#include "data/word_pieces.h"
#include "tensor/zip.h"

namespace ascribe::core::serve {

namespace {

constexpr size_t kKeptRows = 4;
constexpr double kShareOfMethod = 0.25;  // of the budget of a report: what one method may take

constexpr int64_t kMostUnpacked = int64_t{256} << 20;

// A few bytes can claim to be gigabytes.
std::string unpacked(std::string bytes, const std::string& name) {
  const int64_t most = std::min(kMostUnpacked, most_unpacked_whole(std::ssize(bytes)));
  if (is_gzip(bytes)) return inflate_gzip(bytes, most, name);
  if (!is_zip(bytes)) return bytes;
  int64_t all = 0;
  for (const ZipPlace& entry : zip_places(bytes, std::ssize(bytes), name)) {
    all += std::max<int64_t>(0, entry.bytes);
    if (all > most) fail(ErrorKind::io, name, "unpacks to more than {} bytes", most);
  }
  return bytes;
}

}  // namespace

Session::Session(study::Subject subject, Settings settings)
    : subject_(std::move(subject)), settings_(std::move(settings)), data_(subject_, settings_.question.rows) {}

void Session::take_file(const std::string& name, std::string bytes) {
  study::RowSource source = settings_.question.rows;
  source.files.clear();
  const std::string shown = harmless_name(name);
  source.contents = {{shown, unpacked(std::move(bytes), shown)}};
  dropped_ = DataRows(subject_, std::move(source));
  std::erase_if(opened_, [](const Opened& one) { return one.asking.file; });
}

void Session::take_text(const std::string& text) {
  const std::string& vocabulary = settings_.question.tokens;
  if (vocabulary.empty()) fail(ErrorKind::argument, "tokens", "text needs a vocabulary; expected a file that has one");
  take_file("your text.ids", fmt::format("{}\n", fmt::join(word_pieces(text, Vocabulary::read(vocabulary)), " ")));
}

study::QuestionRequest Session::question(const Asking& asking) const {
  study::QuestionRequest question = settings_.question;
  question.rows = rows(asking.file).row(asking.row);
  if (!asking.target.empty()) question.target = asking.target;
  if (!asking.baseline.empty()) question.baseline = asking.baseline;
  if (!asking.players.empty()) question.players = asking.players;
  return question;
}

study::OpenRow& Session::open(const Asking& asking, const study::Run& run) {
  for (auto at = opened_.begin(); at != opened_.end(); ++at) {
    if (at->asking != asking) continue;
    opened_.splice(opened_.begin(), opened_, at);
    return opened_.front().row;
  }
  std::optional<double> seconds = study::Budget::parse(settings_.report.budget).seconds;
  if (seconds) *seconds *= kShareOfMethod;
  opened_.push_front({asking, study::OpenRow(subject_, question(asking), settings_.report.settings, seconds, run)});
  if (opened_.size() > kKeptRows) opened_.pop_back();
  return opened_.front().row;
}

}  // namespace ascribe::core::serve
