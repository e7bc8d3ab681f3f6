"""A Jupyter kernel: cells that explain, show and are interrupted."""

import pathlib
import queue
import time

import pytest

client_of = pytest.importorskip("jupyter_client")
pytest.importorskip("ipykernel")

MODELS = pathlib.Path(__file__).resolve().parents[2] / "models"


@pytest.fixture(scope="module")
def kernel():
    manager, client = client_of.manager.start_new_kernel(kernel_name="python3", startup_timeout=120)
    try:
        run(client, f"import ascribe\nm = ascribe.load({str(MODELS / 'relu_vgg.onnx')!r})\n"
                    f"x = {str(MODELS / 'images' / 'ankle_boot.png')!r}")
        yield manager, client
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def run(client, code, after_start=None, seconds=120):
    """The messages that a cell gives, by their types."""
    asked = client.execute(code)
    messages = []
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        try:
            message = client.get_iopub_msg(timeout=5)
        except queue.Empty:
            continue
        if message["parent_header"].get("msg_id") != asked:
            continue
        if message["msg_type"] == "status" and message["content"]["execution_state"] == "idle":
            return messages
        messages.append((message["msg_type"], message["content"]))
        if after_start is not None and message["msg_type"] == "stream":
            after_start()
            after_start = None
    raise AssertionError("the cell did not end")


def _only(messages, kind):
    return [content for type_, content in messages if type_ == kind]


def test_a_cell_explains(kernel):
    _, client = kernel
    messages = run(client, "m.explain(x, 'integrated_gradients')")
    assert not _only(messages, "error")
    result, = _only(messages, "execute_result")
    assert "integrated_gradients" in result["data"]["text/plain"]
    assert "<script" not in result["data"]["text/html"] and "src=\"http" not in result["data"]["text/html"]


def test_a_cell_plots(kernel):
    pytest.importorskip("matplotlib")
    _, client = kernel
    messages = run(client, "%matplotlib inline\nm.explain(x, 'gradient_x_input').plot.image();")
    assert not _only(messages, "error")
    assert any("image/png" in content["data"] for content in _only(messages, "display_data"))


def test_interrupting_the_kernel_stops_the_cell_and_keeps_the_model(kernel):
    manager, client = kernel
    began = []

    def interrupt():
        time.sleep(1)
        began.append(time.monotonic())
        manager.interrupt_kernel()

    messages = run(client, "print('at work', flush=True)\nm.explain(x, 'shapley', samples=1000000)", interrupt)
    assert time.monotonic() - began[0] < 20
    error, = _only(messages, "error")
    assert error["ename"] == "KeyboardInterrupt"
    assert not _only(run(client, "m.predict(x).top()"), "error")


def test_long_work_shows_a_bar(kernel):
    pytest.importorskip("tqdm")
    _, client = kernel
    messages = run(client, "ascribe._progress._PATIENCE = 0.0\ne = m.explain(x, 'shapley', samples=16)")
    assert not _only(messages, "error")
    assert any("shapley" in content["text"] for content in _only(messages, "stream")) or _only(messages, "display_data")


def test_the_signature_is_shown(kernel):
    _, client = kernel
    client.inspect("m.explain", len("m.explain"))
    reply = client.get_shell_msg(timeout=60)
    while reply["msg_type"] != "inspect_reply":
        reply = client.get_shell_msg(timeout=60)
    assert "baseline" in reply["content"]["data"]["text/plain"]
