#include "cli/run_ascribe.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/folder.h"

namespace ascribe::core {

Said run_ascribe(const std::vector<std::string>& arguments) {
  const TemporaryFolder folder;
  const std::string out = folder.path("out"), err = folder.path("err");
  std::vector<std::string> words = {ASCRIBE_BINARY};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);

  posix_spawn_file_actions_t actions{};
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out.c_str(), O_WRONLY | O_CREAT, 0600);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, err.c_str(), O_WRONLY | O_CREAT, 0600);
  pid_t child = 0;
  const int failure = ::posix_spawn(&child, ASCRIBE_BINARY, &actions, nullptr, pointers.data(), ::environ);
  posix_spawn_file_actions_destroy(&actions);
  Said said;
  if (failure != 0) return said;
  int status = 0;
  rusage used{};
  ::wait4(child, &status, 0, &used);
  said.peak_bytes = int64_t{1024} * used.ru_maxrss;
  said.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  said.out = read_file(out);
  said.err = read_file(err);
  return said;
}

}  // namespace ascribe::core
