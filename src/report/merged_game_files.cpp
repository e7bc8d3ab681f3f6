#include "report/merged_game_files.h"

#include <cmath>
#include <filesystem>

#include "base/error.h"
#include "base/file.h"

namespace ascribe::core {

namespace {

namespace fs = std::filesystem;

constexpr size_t kUsualTablePlayers = 26;  // whose table is half a gigabyte

void check_place(const std::string& path, const study::WholeWork& whole, bool force) {
  if (!force && fs::exists(fs::symlink_status(path))) {
    fail(ErrorKind::io, path, "the file exists already; `force` replaces it");
  }
  if (!path.ends_with(".npy")) return;
  const Json* players = whole.header().settings.find("players");
  const size_t count = players == nullptr ? 0 : players->size();
  if (count > kUsualTablePlayers && !force) {
    fail(ErrorKind::argument, "out",
         "the table of all sets of {} players takes {:.3g} GB; expected at most {} players, or `force`", count,
         8e-9 * std::ldexp(1.0, static_cast<int>(count)), kUsualTablePlayers);
  }
}

}  // namespace

GameFiles merge_game(const study::WholeWork& whole, const std::string& folder, const GameFilesRequest& request) {
  const std::string path = request.out.empty() ? (fs::path(folder) / "effects.json").string() : request.out;
  const bool table = path.ends_with(".npy");
  if (!table && !path.ends_with(".json")) {
    fail(ErrorKind::argument, "out", "a game is a .json file, or a .npy file for the table of all sets; got {}", path);
  }
  check_place(path, whole, request.force);
  study::MergedGameRequest how = request.how;
  how.overwrite = request.force;
  if (table) how.table = path;
  GameFiles files{study::merged_game(whole, how), {path}};
  if (!table) write_file(path, to_json(files.game).dump() + "\n", request.force);
  return files;
}

}  // namespace ascribe::core
