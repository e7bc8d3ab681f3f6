"""Ctrl-C, as a real signal to a real process."""

import pytest

from interrupting import PATIENCE, run

# Each would take minutes if it were not stopped; afterwards the model is used again, and says what it said before.
WORK = {
    "one method": "m.explain(BOOT, 'shapley', samples=1000000)",
    "many rows": "m.explain(np.random.default_rng(0).random((4000, 1, 28, 28), np.float32), 'integrated_gradients')",
    "predict": "m.predict(np.zeros((120000, 1, 28, 28), np.float32))",
    "decompose": "m.decompose(BOOT, players='grid:4x5', at_any_cost=True)",
    "an index by samples": "m.decompose(BOOT, players='grid:14x14', index='sii', order=2,"
                           " samples=3000000)",
    "audit": "m.audit(BOOT, method='all', players='grid:3x4')",
    "evaluate": "m.evaluate(np.random.default_rng(0).random((500, 1, 28, 28), np.float32), ['shapley', 'lrp_epsilon'],"
                " ['deletion', 'infidelity'])",
    "verify": "m.verify(np.random.default_rng(0).random((50, 1, 28, 28), np.float32), players='grid:3x3')",
    "report": "m.report(BOOT, players='grid:14x14')",
    "compare": "m.compare(BOOT, 'shapley', 'occlusion', players='grid:3x4')",
}


@pytest.mark.parametrize("work", WORK.values(), ids=WORK.keys())
def test_long_work_is_stopped(work):
    said, took = run(f"""
m = vgg()
before = m.predict(BOOT).values
say("ready")
try:
    {work}
    say("finished")
except KeyboardInterrupt:
    say("stopped")
say(np.array_equal(m.predict(BOOT).values, before))
""")
    assert said == ["stopped", "True"]
    assert took < PATIENCE, took


def test_what_was_finished_is_in_the_exception():
    said, took = run("""
m = vgg()
begun = []
def told(task, done, total):
    if task.startswith("shapley") and not begun:
        begun.append(say("ready"))
try:
    m.explain(BOOT, ["gradient_x_input", "lrp_epsilon", "shapley"], samples=1000000, progress=told)
except KeyboardInterrupt as stop:
    say("stopped")
    say(*stop.partial)
    say(stop.partial.stopped)
    say(np.array_equal(stop.partial["lrp_epsilon"].values, m.explain(BOOT, "lrp_epsilon").values))
    say(*stop.partial.left_out)
""")
    assert said == ["stopped", "gradient_x_input lrp_epsilon", "True", "True", "shapley"]
    assert took < PATIENCE


def test_an_evaluation_goes_on_where_it_was_stopped(tmp_path):
    said, took = run(f"""
m = table()
rows = np.random.default_rng(0).random((30, 8))
asked = []
def mine(model, x, target, baseline):
    asked.append(x)
    if len(asked) == 8:
        say("ready")
        time.sleep(600)
    return x - baseline[0]
journal = {str(tmp_path / 'journal')!r}
def evaluate(**more): return m.evaluate(rows, {{"mine": mine}}, "sensitivity_n", batch=1, seed=2, **more)
try:
    evaluate(journal=journal)
except KeyboardInterrupt:
    say("stopped", os.path.exists(journal))
before = len(asked)
resumed = evaluate(journal=journal)
say(len(asked) - before < 30, os.path.exists(journal))
say(np.array_equal(resumed.scores("mine", "sensitivity_n"), evaluate().scores("mine", "sensitivity_n"), equal_nan=True))
""", seconds=0.2)
    assert said == ["stopped True", "True False", "True"]
    assert took < PATIENCE


def test_a_report_that_was_stopped_leaves_no_files(tmp_path):
    said, took = run(f"""
m = vgg()
say("ready")
try:
    m.report(BOOT, {str(tmp_path / 'page.html')!r}, players="grid:14x14")
except KeyboardInterrupt:
    say("stopped", os.listdir({str(tmp_path)!r}))
""")
    assert said == ["stopped []"]
    assert took < PATIENCE


SLEEPERS = {
    "a black box": ("f = ascribe.function(lambda rows: (time.sleep(600), rows.sum(1))[1], 3, 1)",
                    "f.explain(np.ones(3), 'shapley')"),
    "a method": ("def mine(model, x, target, baseline):\n    time.sleep(600)\n    return x", "m.explain(BOOT, mine)"),
    "a method that asks the model": ("def mine(model, x, target, baseline):\n    while True:\n        model(x[None])",
                                     "m.explain(BOOT, mine)"),
    "a method that explains": ("def mine(model, x, target, baseline):\n    return m.explain(x, 'shapley',"
                               " samples=1000000).values", "m.explain(BOOT, mine)"),
    "the target": ("def target(output):\n    time.sleep(600)\n    return 0", "m.explain(BOOT, target=target)"),
    "progress": ("def told(task, done, total): time.sleep(600)", "m.explain(BOOT, 'shapley', samples=1000, progress=told)"),
}


@pytest.mark.parametrize("made, work", SLEEPERS.values(), ids=SLEEPERS.keys())
def test_functions_of_the_callers_are_stopped(made, work):
    said, took = run(f"""
m = vgg()
{made}
say("ready")
try:
    {work}
    say("finished")
except KeyboardInterrupt:
    say("stopped")
m.predict(BOOT)
""")
    assert said == ["stopped"]
    assert took < PATIENCE


def test_waiting_for_another_thread_is_stopped():
    said, took = run("""
m = vgg()
over = threading.Event()
def told(task, done, total):
    if over.is_set():
        raise RuntimeError("enough")
def work():
    try:
        m.explain(BOOT, "shapley", samples=1000000, progress=told)
    except RuntimeError as error:
        say(error)
other = threading.Thread(target=work)
other.start()
time.sleep(0.5)
say("ready")
try:
    m.predict(BOOT)
except KeyboardInterrupt:
    say("stopped")
over.set()
other.join()
""")
    assert said == ["stopped", "enough"]
    assert took < PATIENCE


def test_the_main_thread_hears_while_others_work():
    said, took = run("""
from concurrent.futures import ThreadPoolExecutor
m = vgg()
over = threading.Event()
def told(task, done, total):
    if over.is_set():
        raise RuntimeError("enough")
with ThreadPoolExecutor(1) as pool:
    future = pool.submit(m.explain, BOOT, "shapley", samples=1000000, progress=told)
    say("ready")
    try:
        future.result()
    except KeyboardInterrupt:
        say("stopped")
        over.set()
    say(repr(future.exception()))
""")
    assert said == ["stopped", "RuntimeError('enough')"]
    assert took < PATIENCE


def test_a_handler_that_raises_nothing_stops_nothing():
    said, _ = run("""
m = vgg()
signal.signal(signal.SIGINT, lambda *_: say("stopped? no"))
say("ready")
e = m.explain(BOOT, "shapley", samples=12, seed=1)
say("finished")
""", seconds=0.3)
    assert said == ["stopped? no", "finished"]


def test_a_forked_child_is_stopped():
    for work in ["m.explain(BOOT, 'shapley', samples=1000000)", "f.explain(np.ones(3), 'shapley')"]:
        said, took = run(f"""
m = vgg()
f = ascribe.function(lambda rows: (time.sleep(600), rows.sum(1))[1], 3, 1)
m.explain(BOOT, "shapley", samples=4)
child = os.fork()
if child:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os._exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
say("ready")
try:
    {work}
except KeyboardInterrupt:
    say("stopped")
m.predict(BOOT)
sys.stdout.flush()
os._exit(0)
""", to_group=True)
        assert said == ["stopped"]
        assert took < PATIENCE


def test_many_interrupted_calls_leave_nothing_behind():
    said, _ = run("""
import resource
m = vgg()
def interrupted():
    timer = threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT))
    try:
        timer.start()
        m.explain(BOOT, "shapley", samples=1000000)
    except KeyboardInterrupt:
        return True
    finally:
        timer.join()
def threads(): return len(os.listdir("/proc/self/task"))
def files(): return len(os.listdir("/proc/self/fd"))
signal.signal(signal.SIGINT, lambda *_: None)
say("ready")
time.sleep(1.5)
say("stopped")
signal.signal(signal.SIGINT, signal.default_int_handler)
for _ in range(10): interrupted()
before = threads(), files()
say(all(interrupted() for _ in range(20)))
say(before == (threads(), files()))
""")
    assert said == ["stopped", "True", "True"]
