"""The forward pass of networks of today, batch 1 and 8, beside ONNX Runtime and PyTorch.

PyTorch runs eagerly with channels first or last, whichever is faster; torch.compile (with frozen weights) is a second
column, which needs a C++ compiler.

What limits us where we fall short: EfficientNet-B0 is bound by memory, not by multiplications. Its SiLU and its
squeeze-and-excite factors go over the widest values once more, where ONNX Runtime keeps blocks of channels from one
layer to the next. Eager PyTorch on Swin-T and ConvNeXt-T at batch 8 has the same matrix products as we; what is left to
win lies between them.
"""

import networks
from frame import REPEATS, THREADS, Network, Row, ours, peer, timed


def rows():
    """Every large network, a row and eight rows."""
    for name in networks.LARGE:
        for batch in (1, 8):
            arguments = {"name": name, "rows": batch}
            yield Row(f"forward {name} {batch}", f"{networks.title(name)}, batch {batch}",
                      {"ascribe": ours("forward", Network(name), batch, REPEATS, THREADS),
                       "onnxruntime": peer("forward", "onnxruntime", path=Network(name), **arguments),
                       "torch": peer("forward", "torch_eager", path=Network(name), **arguments),
                       "torch.compile": peer("forward", "torch_compiled", path=Network(name), **arguments)},
                      asked={"onnxruntime": 1.0, "torch": 1.5}, runs=10 if batch == 1 else 4,
                      work=lambda name=name, batch=batch: batch * networks.gflop(name))


def session(path, threads):
    """ONNX Runtime as its users make it. On a busy machine it is told not to spin."""
    import os

    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    if os.environ.get("OMP_WAIT_POLICY") == "passive":
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def onnxruntime(path, name, rows, repeats, threads):
    """Its defaults."""
    running, x = session(path, threads), networks.random_rows(name, rows)
    timed([lambda: running.run(None, {"input": x})], repeats)


def torch_eager(path, name, rows, repeats, threads):
    """Channels first or last."""
    import torch

    model, x = networks.module(name, threads), torch.from_numpy(networks.random_rows(name, rows))
    last, x_last = networks.module(name, threads).to(memory_format=torch.channels_last), x.contiguous(
        memory_format=torch.channels_last)
    with torch.inference_mode():
        timed({"channels first": lambda: model(x), "channels last": lambda: last(x_last)}, repeats)


def torch_compiled(path, name, rows, repeats, threads):
    """Weights frozen, as its manual advises for processors."""
    import os

    os.environ["TORCHINDUCTOR_CACHE_DIR"] = str(networks.FOLDER / "inductor")
    import torch
    import torch._inductor.config

    torch._inductor.config.freezing = True
    model, x = networks.module(name, threads), torch.from_numpy(networks.random_rows(name, rows))
    with torch.no_grad():
        compiled = torch.compile(model)
        timed({"frozen weights": lambda: compiled(x)}, repeats)
