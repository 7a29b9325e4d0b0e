"""The devices that are here, and what others refuse, where there is only a CPU to try it on."""

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import torch
import torchgen
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

CPU = torch.device("cpu")
DEVICES = ["cpu", *(["cuda"] if torch.cuda.is_available() else [])]
PRODUCTS = {torch.ops.aten.mm, torch.ops.aten.bmm, torch.ops.aten.addmm, torch.ops.aten.baddbmm}
# PyTorch's own choice where attention runs on a CPU; on MPS it has another.
OF_A_CPU = {
    "_scaled_dot_product_flash_attention_for_cpu",
    "_scaled_dot_product_flash_attention_for_cpu_backward",
}


class AsOnOtherDevices(TorchDispatchMode):
    """Refuses what is asked of any device but the CPU and cannot be done there.

    MPS has no float64, and no kernel for some operations; CUDA has no products of integers. Tensors
    of the meta device hold no numbers: a copy of one on the CPU holds zeros.

    Args:
        anywhere: refuse it on the CPU as well.
    """

    def __init__(self, anywhere: bool = False) -> None:
        super().__init__()
        self.anywhere = anywhere

    def __torch_dispatch__(
        self,
        function: Any,
        types: Iterable[type],
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        whole = [each for each in args if isinstance(each, Tensor) and not each.is_floating_point()]
        if function.overloadpacket in PRODUCTS and whole:
            raise TypeError(f"{function} of {whole[0].dtype}")
        to = (kwargs or {}).get("device")
        if function is torch.ops.aten._to_copy.default and args[0].is_meta and to == CPU:
            return torch.zeros(args[0].shape, dtype=(kwargs or {}).get("dtype") or args[0].dtype)
        found = function(*args, **(kwargs or {}))
        for each in found if isinstance(found, tuple | list) else (found,):
            if isinstance(each, Tensor) and (self.anywhere or each.device.type != "cpu"):
                if each.dtype == torch.float64:
                    raise TypeError(f"{function} makes float64 on {each.device}")
                name = str(function).removeprefix("aten.").removesuffix(".default")
                if not _kernels_of_mps().get(name, True) and name not in OF_A_CPU:
                    raise TypeError(f"MPS has no kernel for {function}")
        return found


@cache
def _kernels_of_mps() -> dict[str, bool]:
    """Return for each of PyTorch's operations whether MPS has it, by PyTorch's own table."""
    table = Path(torchgen.__file__).parent / "packaged/ATen/native/native_functions.yaml"
    entries = table.read_text(encoding="utf-8").split("\n- func: ")[1:]
    found, delegates = dict[str, bool](), dict[str, str]()
    for entry in entries:
        name = entry[: entry.index("(")]
        delegate = re.search(r"^  structured_delegate: (\S+)", entry, re.MULTILINE)
        keys = re.findall(r"^    ([\w, ]+):", entry, re.MULTILINE)
        if delegate:
            delegates[name] = delegate[1]
        # Without a table of its own it is made of other operations.
        found[name] = not keys or any("MPS" in key or "Composite" in key for key in keys)
    return found | {name: found[other] for name, other in delegates.items()}
