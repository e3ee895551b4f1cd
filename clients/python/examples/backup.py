"""Backs a folder up as an encrypted tar, and restores it.

    python3 backup.py save FOLDER BACKUP
    python3 backup.py restore BACKUP FOLDER

The name of the file is bound to the backup, so that no backup passes for another. Two accounts, so that a thief of the machine that
saves reads no backup of before: ``{"keys": "backups", "operations": ["datakey"]}`` saves, ``{"keys": "backups", "operations":
["decrypt"]}`` restores. The key is there before the first backup.
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
    """``backup`` is there when all of it is."""

    def pieces() -> Iterator[bytes]:
        with connect() as client, subprocess.Popen(["tar", "-C", folder, "-c", "."], stdout=subprocess.PIPE) as tar:
            yield from client.key(VAULT, "backups").encrypt_stream(cast(IO[bytes], tar.stdout), aad=aad_of(backup))
        if tar.returncode != 0:
            raise SystemExit("tar failed: there is no backup.")

    write_whole(backup, pieces())


def restore(backup: str, folder: str) -> None:
    """``folder`` is new, and there when all of ``backup`` was found genuine."""
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
