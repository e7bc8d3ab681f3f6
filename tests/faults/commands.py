"""The commands that are run with faults, each in a folder of its own.

They replace their output (--force), because the next run after a fault may find it finished.
"""
import dataclasses
import pathlib
import re

MODELS = pathlib.Path(__file__).resolve().parents[2] / "models"
TABLE = [str(MODELS / "tabular_mlp.onnx"), str(MODELS / "tabular_sample.csv")]
PICTURE = [str(MODELS / "relu_vgg.onnx"), str(MODELS / "images" / "bag.png")]


@dataclasses.dataclass
class Command:
    name: str
    arguments: list[str]
    # What is run before, undisturbed; or with a fault that interrupts it: (arguments, (kind, call, mode)).
    before: list = dataclasses.field(default_factory=list)
    together: str = "\0"  # files that begin so, and were not there, appear together or not at all
    kept: str = ""  # names (a pattern) of what a failed run keeps for the next one
    lists: bool = False  # problems line by line, before the complaint
    skips: bool = False  # samples that cannot be read are left out, and told; the file is then another
    other_codes: tuple[int, ...] = ()  # of files: of evaluate 6, if not one sample can be read; of replay 7

    def is_log(self, name: str) -> bool:
        return name.endswith(".log")

    def may_be_left(self, name: str) -> bool:
        return bool(self.kept) and re.fullmatch(self.kept, name) is not None


JOURNAL = r".*\.journal"
GROWING = r"parts/.*\.growing"
EXPLAIN = ["explain", *TABLE, "--row", "0:2", "--method", "shapley,gradient_x_input,lrp_epsilon"]
EVALUATE = ["evaluate", *TABLE, "--method", "gradient_x_input,occlusion", "--metric", "completeness,infidelity",
            "--batch", "5", "--out", "out", "--force"]
SHARD = ["explain", *TABLE, "--method", "gradient_x_input", "--batch", "2", "--out", "parts", "--force", "--shard"]
GAME = ["decompose", *TABLE, "--row", "0", "--out", "parts", "--force", "--shard"]

COMMANDS = [
    Command("predict", ["predict", *TABLE, "--json"]),
    Command("predict a picture", ["predict", *PICTURE]),
    Command("explain", [*EXPLAIN, "--out", "out", "--log", "runs.log", "--force"], together="out/"),
    Command("explain again", [*EXPLAIN, "--out", "out", "--log", "runs.log", "--force"],
            before=[["explain", *TABLE, "--row", "3", "--method", "shapley", "--out", "out", "--log", "runs.log"]]),
    Command("explain a picture", ["explain", *PICTURE, "--method", "gradient_x_input,shapley", "--players", "grid:2x2",
                                  "--out", "out.npz", "--force"]),
    Command("evaluate", EVALUATE, kept=JOURNAL, other_codes=(6,)),
    Command("evaluate, going on", EVALUATE, before=[(EVALUATE, ("write", 4, "on"))], kept=JOURNAL,
            other_codes=(6,)),
    Command("shard", [*SHARD, "1/2"], kept=GROWING, skips=True),
    Command("shard, going on", [*SHARD, "1/2"], before=[([*SHARD, "1/2"], ("write", 4, "on"))], kept=GROWING, skips=True),
    Command("merge", ["merge", "parts", "--force"], lists=True, before=[[*SHARD, "1/2"], [*SHARD, "2/2"]]),
    Command("decompose", ["decompose", *TABLE, "--row", "0", "--out", "out", "--force"], together="out/"),
    Command("game shard", [*GAME, "1/2"]),
    Command("merge a game", ["merge", "parts", "-o", "all.npy", "--force"], lists=True,
            before=[[*GAME, "1/2"], [*GAME, "2/2"]]),
    Command("compile", ["compile", TABLE[0], "--method", "gradient_x_input", "--out", "explained.onnx", "--force"]),
    Command("compile again", ["compile", TABLE[0], "--method", "gradient_x_input", "--out", "explained.onnx", "--force"],
            before=[["compile", TABLE[0], "--method", "lrp_epsilon", "--out", "explained.onnx"]]),
    Command("report", ["report", *TABLE, "--row", "0", "--budget", "none", "--out", "page.html", "--force"]),
    Command("render", ["render", "page.json", "--out", "again.html", "--force"],
            before=[["report", *TABLE, "--row", "0", "--budget", "none", "--out", "page.html"]]),
    Command("replay", ["replay", "out/record.json"], before=[[*EXPLAIN, "--out", "out"]], other_codes=(7,)),
    Command("log", ["log", "verify", "runs.log"], before=[[*EXPLAIN, "--log", "runs.log"]]),
]
