"""Backs a folder up as an encrypted tar file, and restores it.

    python3 backup.py save FOLDER BACKUP
    python3 backup.py restore BACKUP FOLDER

Each backup is bound to its file name, so that none can pass for another. Use two accounts, so that a thief of the
machine that saves cannot read earlier backups: ``{"keys": "backups", "operations": ["datakey"]}`` saves, and ``{"keys":
"backups", "operations": ["decrypt"]}`` restores. Create the key before the first backup.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from typing import IO, Iterator, cast

from connect import VAULT, connect
from strongroom.files import write_whole


def aad_of(backup: str) -> str:
    return f"backup:{os.path.basename(backup)}"


def save(folder: str, backup: str) -> None:
    """Writes ``backup``, which appears only when it is complete."""

    def pieces() -> Iterator[bytes]:
        with connect() as client, subprocess.Popen(["tar", "-C", folder, "-c", "."], stdout=subprocess.PIPE) as tar:
            yield from client.key(VAULT, "backups").encrypt_stream(cast(IO[bytes], tar.stdout), aad=aad_of(backup))
        if tar.returncode != 0:
            raise SystemExit("tar failed: there is no backup.")

    write_whole(backup, pieces())


def restore(backup: str, folder: str) -> None:
    """Creates ``folder``, which appears only when all of ``backup`` was found genuine."""
    temporary = tempfile.mkdtemp(prefix=".restore-", dir=os.path.dirname(os.path.abspath(folder)))
    try:
        with connect() as client, open(backup, "rb") as file:
            pieces = client.key(VAULT, "backups").decrypt_stream(file, aad=aad_of(backup))
            with subprocess.Popen(["tar", "-C", temporary, "-x"], stdin=subprocess.PIPE) as tar:
                cast(IO[bytes], tar.stdin).writelines(pieces)
        if tar.returncode != 0:
            raise SystemExit("tar failed: nothing is restored.")
        os.rename(temporary, folder)
    except BaseException:
        shutil.rmtree(temporary)
        raise


if __name__ == "__main__":
    {"save": save, "restore": restore}[sys.argv[1]](*sys.argv[2:])
