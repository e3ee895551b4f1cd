"""What type checkers know of calls. Nobody runs this: mypy refuses a comment that ignores an error which is not there."""

from typing import List

from strongroom import AsyncClient, Client, Upload
from strongroom.api import ObjectReadAnswer, Vault, VaultCreateBody


def answers(client: Client) -> List[str]:
    vaults: List[Vault] = client.call("vault.list")["VAULTS"]
    number: int = vaults[0]["id"]  # type: ignore[assignment]
    client.call("vault.list")["OBJECT"]  # type: ignore[typeddict-item]
    read: ObjectReadAnswer = client.call("object.read", params={"objectid": number}, query={"decrypt": True})
    results = client.call("transparent.encrypt", params={"vaultid": 8, "name": "k"}, body={"batch_input": []})["CALLINFO"]
    code: int = results["batch_results"][0]["error"]["code"]  # type: ignore[assignment]
    return [read["OBJECT"][0]["objectname"], vaults[0]["groupname"], str(code)]


async def answers_of_asyncio(client: AsyncClient) -> str:
    number: int = (await client.call("vault.list"))["VAULTS"][0]["id"]  # type: ignore[assignment]
    (await client.call("auth.check"))["CALLINFO"]["logout"]  # type: ignore[typeddict-item]
    return (await client.call("auth.logout"))["CALLINFO"]["logout"] + str(number)


def requests(client: Client) -> None:
    body: VaultCreateBody = {"vaultname": "Mail"}
    client.with_options(timeout=2).call("vault.create", body=body)
    client.call("vault.create", body={"vault": "Mail"})  # type: ignore[call-overload]
    client.call("vault.read")  # type: ignore[call-overload]
    client.call("vault.read", params={"vaultid": 8, "name": "k"})  # type: ignore[call-overload]
    client.call("vault.reed", params={"vaultid": 8})  # type: ignore[call-overload]
    client.call("vault.list", file=Upload("a", b""))  # type: ignore[call-overload]
    client.call("object.create", body={"groupid": 8, "a field of the template": "x"}, file=Upload("a", b""))
    # No envelope: neither is for programs that call.
    client.call("docs.page")  # type: ignore[call-overload]
