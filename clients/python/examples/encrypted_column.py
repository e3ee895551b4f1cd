"""Reads and writes the encrypted column of clients/node/examples/encrypted-column.js from Python with psycopg2.

    python3 encrypted_column.py add NAME CARD [NAME CARD …]      prints the ids
    python3 encrypted_column.py list                             prints each row as JSON

All rows of a command are encrypted or decrypted by one call. Grants:
``{"keys": "cards", "operations": ["encrypt", "decrypt"], "aad": "Y3VzdG9tZXIuY2FyZDo="}``. The aad is Base64 of
``customer.card:``.
"""

import json
import os
import sys
import uuid
from typing import Any, List, Sequence, Tuple

import psycopg2
from connect import VAULT, connect
from strongroom import Client


def aad_of(row: str) -> str:
    """Binds the ciphertext to table, column and row. In another row its decryption fails."""
    return f"customer.card:{row}"


def add(client: Client, cursor: Any, customers: Sequence[Tuple[str, str]]) -> List[str]:
    ids = [str(uuid.uuid4()) for _ in customers]
    with client.batch() as batch:
        key = batch.key(VAULT, "cards")
        pending = [key.encrypt(card, aad=aad_of(row)) for row, (_, card) in zip(ids, customers)]
    for row, (name, _), card in zip(ids, customers, pending):
        cursor.execute("INSERT INTO customer (id, name, card) VALUES (%s, %s, %s)", (row, name, card.result()))
    return ids


def read(client: Client, cursor: Any) -> List[Tuple[str, str, str]]:
    cursor.execute("SELECT id, name, card FROM customer ORDER BY name")
    rows = cursor.fetchall()
    with client.batch() as batch:
        key = batch.key(VAULT, "cards")
        pending = [key.decrypt_text(card, aad=aad_of(row)) for row, _, card in rows]
    return [(row, name, card.result()) for (row, name, _), card in zip(rows, pending)]


def main(command: str, *words: str) -> None:
    # The with block of the connection is a transaction.
    with connect() as client, psycopg2.connect(os.environ["DATABASE_URL"]) as database, database.cursor() as cursor:
        if command == "list":
            for row, name, card in read(client, cursor):
                print(json.dumps({"id": row, "name": name, "card": card}))
        else:
            print(*add(client, cursor, list(zip(words[::2], words[1::2]))), sep="\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
