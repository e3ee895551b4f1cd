"""Files that appear only when they are complete."""

from __future__ import annotations

import errno
import os
import tempfile
from typing import Iterable, Union

Path = Union[str, "os.PathLike[str]"]


def write_whole(target: Path, pieces: Iterable[bytes]) -> None:
    """Writes a file under a temporary name beside ``target``, readable by its owner only, and renames it at the end."""
    if os.path.exists(target) and not os.path.isfile(target):
        # The rename would put a file in the place of /dev/null, or of a pipe whose reader waits.
        raise OSError(errno.EINVAL, "This is no regular file", os.fspath(target))
    handle, temporary = tempfile.mkstemp(prefix=".strongroom-", dir=os.path.dirname(os.path.abspath(target)))
    try:
        with os.fdopen(handle, "wb") as file:
            for piece in pieces:
                file.write(piece)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
        raise
