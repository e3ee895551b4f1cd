"""Reads the answers of the appliance."""

from __future__ import annotations

import json
import time
from email.utils import parsedate_to_datetime
from typing import Any, Callable, Dict, Mapping, Optional

from .errors import ProtocolError, appliance_error
from .steps import Answer

#: The envelope of an answer: ``CALLINFO``, and members beside it.
Envelope = Dict[str, Any]

#: Every failure has this number besides its specific one.
_GENERIC = "2000"


def read_answer(answer: Answer, on_token: Callable[[str], None] = lambda _token: None) -> Envelope:
    """Returns the envelope of a success. Raises StrongroomError for a failure, ProtocolError for anything else.
    ``on_token`` gets the token for the next call, which refusals have as well.
    """
    request_id = answer.headers.get("x-request-id")
    retry_after = _seconds(answer.headers.get("retry-after"))
    envelope = _parse(answer.body)
    if envelope is None:
        kind = answer.headers.get("content-type", "no Content-Type")
        raise ProtocolError(
            f"Status {answer.status}, and no envelope of the appliance but {kind}: is a proxy in between, or the address wrong?",
            code="protocol",
            status=answer.status,
            request_id=request_id,
            retry_after=retry_after,
        )
    token = envelope["CALLINFO"].get("token")
    if isinstance(token, str):
        on_token(token)
    if envelope["CALLINFO"]["status"] == "SUCCESS":
        return envelope
    codes: Mapping[str, str] = _mapping(envelope.get("ERRORCODES"))
    number = next((code for code in codes if code != _GENERIC), None)
    sentences = envelope.get("ERRORS")
    message = sentences[0] if isinstance(sentences, list) and sentences else codes.get(number or "", "The call failed.")
    known = int(number) if number is not None and number.isdigit() else None
    raise appliance_error(str(message), known, answer.status, request_id=request_id, retry_after=retry_after)


def member(result: Mapping[str, Any], name: str) -> str:
    value = result.get(name)
    if not isinstance(value, str):
        raise ProtocolError(f"The answer has no member {name}.", code="protocol")
    return value


def _mapping(value: object) -> Dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _parse(body: bytes) -> Optional[Envelope]:
    try:
        envelope = _mapping(json.loads(body))
    except (ValueError, RecursionError):
        return None
    return envelope if _mapping(envelope.get("CALLINFO")).get("status") in ("SUCCESS", "FAIL") else None


def _seconds(header: Optional[str]) -> Optional[float]:
    """Seconds of a Retry-After header, which holds seconds or a date (RFC 9110 §10.2.3)."""
    if header is None:
        return None
    if header.isascii() and header.isdigit():
        return float(header)
    try:
        return max(0.0, parsedate_to_datetime(header).timestamp() - time.time())
    except (TypeError, ValueError):
        return None
