"""Build hook: compiles the Go program of the parent folder into the wheel."""

from __future__ import annotations

import os
import shutil
import subprocess
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class GoBuildHook(BuildHookInterface):
    """Put the program into the package, and name the platform that it is for."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        source = Path(self.root).parent
        program = Path(self.root, "src", "r2sgld", "bin", "r2sgld.exe" if os.name == "nt" else "r2sgld")
        program.parent.mkdir(exist_ok=True)
        if ready := os.environ.get("R2SGLD_BINARY"):
            shutil.copy2(ready, program)
        else:
            self.compile(source, program)
        build_data["artifacts"].append("src/r2sgld/bin/*")
        build_data["pure_python"] = False
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["tag"] = f"py3-none-{platform}"

    def compile(self, source: Path, program: Path) -> None:
        if not Path(source, "cmd", "r2sgld").is_dir():
            raise RuntimeError("The program's source is missing. Install from a clone, or set R2SGLD_BINARY.")
        go = shutil.which("go")
        if go is None:
            raise RuntimeError("Go is missing. Install Go 1.26 or newer, or set R2SGLD_BINARY to a ready program.")
        subprocess.run(
            [go, "build", "-trimpath", "-o", str(program), "./cmd/r2sgld"],
            cwd=source,
            env={**os.environ, "CGO_ENABLED": "0"},
            check=True,
        )
