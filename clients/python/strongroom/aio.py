"""The client for programs with asyncio. Calls of one turn of the event loop are sent as one batch."""

from __future__ import annotations

import asyncio
import copy
from functools import partial
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Coroutine,
    Dict,
    List,
    Mapping,
    Optional,
    Set,
    Tuple,
    TypeVar,
    Union,
    cast,
)

import httpx

from .aio_key import AsyncKey
from .answer import Envelope
from .catalogue import Operation
from .core import Core
from .key_calls import BatchLimits, KeyCall, KeyCalls
from .logins import Login
from .retry import Rules
from .steps import Answer, Identity, Lock, Pause, Send, Step, Steps, Upload, Whole
from .tls import Ca, CancelledConnect, Connecting, context_of, failed, headers_of

if TYPE_CHECKING:
    from .api import AsyncCall

T = TypeVar("T")
_Waiting = Tuple[KeyCall[Any], "asyncio.Future[Any]"]


def _by_operation(method: Callable[..., Coroutine[Any, Any, Envelope]]) -> AsyncCall:
    """Types a method for type checkers: arguments and result depend on the name of the operation."""
    return cast("AsyncCall", method)


class AsyncClient:
    """A client of the appliance at ``url``. The first call logs in. With ``batch=None``, calls are not joined."""

    def __init__(
        self,
        url: str,
        login: Optional[Login] = None,
        *,
        token: Optional[str] = None,
        on_token: Optional[Callable[[Optional[str]], None]] = None,
        ca: Optional[Ca] = None,
        transport: Optional[httpx.AsyncBaseTransport] = None,
        timeout: float = 30.0,
        retries: int = 4,
        first_delay: float = 0.2,
        longest_delay: float = 20.0,
        batch: Optional[BatchLimits] = BatchLimits(),
    ) -> None:
        self._rules = Rules(timeout, retries, first_delay, longest_delay)
        self._core = Core(url, login, token, on_token, self._rules)
        self._ca = ca
        self._transport = transport
        self._http = self._open(None)
        self._limits = batch
        self._shared = _Shared()

    @_by_operation
    async def call(
        self,
        operation: Operation,
        *,
        params: Optional[Mapping[str, Any]] = None,
        query: Optional[Mapping[str, Any]] = None,
        body: Optional[Mapping[str, Any]] = None,
        file: Optional[Upload] = None,
    ) -> Envelope:
        """Calls an operation of the interface by its name in the OpenAPI document. Returns the envelope of its success."""
        return await self._run(self._core.call(operation, params or {}, query or {}, body, file, self._rules))

    def key(self, vault: Union[int, str], name: str) -> AsyncKey:
        """A key by its name. Makes no call. The first encryption creates a missing key, where the vault allows that."""
        return AsyncKey(self, KeyCalls(vault, name))

    def with_options(self, *, timeout: Optional[float] = None, retries: Optional[int] = None) -> AsyncClient:
        """A client with the same session and connections, but other limits for its calls."""
        other = copy.copy(self)
        other._rules = self._rules.changed(timeout, retries)
        return other

    async def login(self) -> None:
        """Logs in if there is no session. Without this, the first call does."""
        await self._run(self._core.session.token())

    async def logout(self) -> None:
        """Ends the session."""
        await self._run(self._core.log_out(self._rules))

    async def close(self) -> None:
        """Closes the connections, once the calls under way have ended. The session remains open until it expires."""
        if self._core.running.close():
            await self._http.aclose()

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self.close()

    def _open(self, identity: Optional[Identity]) -> httpx.AsyncClient:
        if self._transport is not None:
            return httpx.AsyncClient(transport=self._transport)
        return httpx.AsyncClient(verify=context_of(self._ca, identity), trust_env=False)

    async def _run(self, steps: Steps[T]) -> T:
        self._core.running.begin()
        try:
            step = next(steps)
            while True:
                try:
                    outcome = await self._do(step)
                except BaseException as error:
                    step = steps.throw(error)
                else:
                    step = steps.send(outcome)
        except StopIteration as end:
            result: T = end.value
            return result
        finally:
            if self._core.running.end():
                await self._http.aclose()

    async def _do(self, step: Step) -> Any:
        if isinstance(step, Send):
            if step.identity is None:
                return await _send(self._http, step)
            async with self._open(step.identity) as http:
                return await _send(http, step)
        if isinstance(step, Pause):
            return await asyncio.sleep(step.seconds)
        if isinstance(step, Lock):
            return await self._shared.locked(step.waits)
        if isinstance(step, Whole):
            return await asyncio.shield(self._shared.begun(self._run(step.steps)))
        return await asyncio.get_running_loop().run_in_executor(None, step.do)

    async def _item(self, call: KeyCall[T]) -> T:
        if self._limits is None:
            return await self._run(self._core.key_call(call, self._rules))
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        waiting = self._shared.waiting
        if not waiting:
            asyncio.get_running_loop().call_soon(self._flush)
        waiting.setdefault((call.group, self._rules), []).append((call, future))
        return await future

    def _flush(self) -> None:
        groups, self._shared.waiting = self._shared.waiting, {}
        for (_, rules), group in groups.items():
            task = self._shared.begun(self._send_group(group, rules))
            for _, future in group:
                future.add_done_callback(partial(_end_if_unwanted, group, task))

    async def _send_group(self, group: List[_Waiting], rules: Rules) -> None:
        """Sends a batch without cancelled calls."""
        wanted = [(call, future) for call, future in group if not future.done()]
        try:
            outcomes = await self._run(
                self._core.key_batch([call for call, _ in wanted], self._limits or BatchLimits(), rules)
            )
        except Exception as error:
            outcomes = [error] * len(wanted)
        for (_, future), outcome in zip(wanted, outcomes):
            if future.done():
                continue
            if isinstance(outcome, Exception):
                future.set_exception(outcome)
            else:
                future.set_result(outcome)


def _end_if_unwanted(group: List[_Waiting], task: asyncio.Task[None], _cancelled: object) -> None:
    """Cancels a request when all its calls are cancelled: one cancelled call does not cancel the others."""
    if all(future.cancelled() for _, future in group):
        task.cancel()


class _Shared:
    """The state that clients with the same session share."""

    def __init__(self) -> None:
        self._lock: Optional[asyncio.Lock] = None
        self.waiting: Dict[Tuple[str, Rules], List[_Waiting]] = {}
        self.tasks: Set[asyncio.Task[Any]] = set()

    def begun(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """A task that is kept until it ends: asyncio itself keeps none."""
        task = asyncio.ensure_future(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
        return task

    async def locked(self, waits: bool) -> Optional[Callable[[], None]]:
        if self._lock is None:
            self._lock = asyncio.Lock()
        if not waits and self._lock.locked():
            return None
        await self._lock.acquire()
        return self._lock.release


async def _send(http: httpx.AsyncClient, step: Send) -> Answer:
    has_begun = False

    async def answer() -> Answer:
        nonlocal has_begun
        try:
            async with http.stream(
                step.method,
                step.url,
                content=step.body,
                data=step.fields,
                files=step.files(),
                headers=step.headers(),
                # For a cancellation that anyio 3 loses, as it may when a connection is made at that moment.
                timeout=2 * step.timeout,
                extensions={"trace": Connecting().trace},
            ) as response:
                has_begun = True
                body = await response.aread()
            return Answer(response.status_code, headers_of(response), body)
        except CancelledConnect:
            raise asyncio.CancelledError from None

    try:
        return await asyncio.wait_for(answer(), step.timeout)
    except (httpx.HTTPError, TimeoutError, asyncio.TimeoutError, OSError) as error:
        failed(error, step, has_begun)
