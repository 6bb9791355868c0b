"""Uses the client that openapi-python-client has made of the service's document, as an integrator would."""

import json
import os
import re
import time
from urllib.parse import parse_qs, urlparse

import httpx
from switchyard_client import AuthenticatedClient
from switchyard_client.api.deposit_intents import put_deposit_intent
from switchyard_client.api.events import list_events
from switchyard_client.api.executions import get_execution, list_user_executions
from switchyard_client.api.simulation import simulate_deposit
from switchyard_client.models import (
    DepositEvent,
    DepositIntent,
    DepositIntentRequest,
    Error,
    Execution,
    ExecutionDetail,
    ExecutionEvent,
    ExecutionStatus,
    IntentEvent,
    OtherEvent,
    Simulation,
    SimulationRequest,
    SupportedChainId,
    UserExecution,
)
from switchyard_client.types import UNSET

url, key, user_id = (os.environ[name] for name in ("SWITCHYARD_URL", "SWITCHYARD_API_KEY", "USER_ID"))
client = AuthenticatedClient(
    base_url=url, token=key, prefix="", auth_header_name="x-api-key", raise_on_unexpected_status=True
)


def good(response, kind):
    """What an answer must be; anything else ends this program with what was said instead."""
    assert isinstance(response.parsed, kind), (response.status_code, response.content)
    return response.parsed


def next_of(response, name):
    link = re.search(r'<([^>]+)>; *rel="next"', response.headers.get("link", ""))
    return parse_qs(urlparse(link[1]).query).get(name, [UNSET])[0] if link else UNSET


intent = DepositIntentRequest(
    user_id=user_id,
    target_chain_id=SupportedChainId(42161),
    target_token_address="0xaf88d065e77c8cC2239327C5EDb3A432268e5831",
    target_address="0x1dE3D712f5D3103AD50e22dc1f4d3Ff1559D5115",
)
once = f"intent-of-{user_id}"
made = good(put_deposit_intent.sync_detailed(client=client, body=intent, idempotency_key=once), DepositIntent)
again = put_deposit_intent.sync_detailed(client=client, body=intent, idempotency_key=once)

asked = SimulationRequest(
    user_id=user_id, from_chain_id=SupportedChainId(8453), from_token_symbol="USDC", amount_in_atomic="25000000"
)
simulated = good(simulate_deposit.sync_detailed(client=client, body=asked), Simulation)

print(json.dumps({"depositAddress": made.deposit_address}), flush=True)

while True:
    executions = good(list_user_executions.sync_detailed(user_id, client=client), list)
    if sum(each.status == ExecutionStatus.SUCCESS for each in executions) >= 2:
        break
    time.sleep(0.2)

# An operation returns the array of a list. A program that reads bodies only sends its own request for the envelope.
pages, query = [], {"limit": 1, "envelope": True}
while True:
    response = client.get_httpx_client().get(f"/api/users/{user_id}/executions", params=query)
    page = response.raise_for_status().json()
    pages.append([UserExecution.from_dict(each).id for each in page["data"]])
    if page["next"] is None:
        break
    query["cursor"] = page["next"]

detail = good(get_execution.sync_detailed(executions[0].id, client=client), ExecutionDetail)


def told_of(event):
    if isinstance(event, IntentEvent):
        return f"{event.type_.value} {event.data.user_id} {event.data.version}"
    assert isinstance(event, (DepositEvent, ExecutionEvent)), event
    return f"{event.type_.value} {event.data.id}"


kinds = {"deposit": DepositEvent, "execution": ExecutionEvent, "intent": IntentEvent}
told, first, after = [], None, UNSET
while sum(each.startswith("execution.success") for each in told) < 2:
    page = list_events.sync_detailed(client=client, user_id=user_id, limit=2, after=after)
    events = good(page, list)
    told += [told_of(event) for event in events]
    after = next_of(page, "after") or after
    if events:
        first = first or events[0].id
    else:
        time.sleep(0.2)

# What a later version of the service may say: a chain and a type of event that this client was not made with.
newer = Execution.from_dict({**executions[0].to_dict(), "fromChainId": 10, "fromChainKey": "optimism"})
assert (newer.from_chain_id, newer.from_chain_key) == (10, "optimism"), newer
later = [{"id": first, "type": "execution.later", "seq": 1, "data": {"id": detail.id, "more": True}}]
with httpx.Client(base_url=url, transport=httpx.MockTransport(lambda _: httpx.Response(200, json=later))) as answering:
    page = list_events.sync_detailed(client=AuthenticatedClient(base_url=url, token=key).set_httpx_client(answering))
assert [type(event) for event in good(page, list)] == [OtherEvent], page

# The generator has no streams: its client's own connection does, and its models read what comes.
streamed = []
known = {first}  # A stream that is taken up again may begin a little earlier.
stream = client.get_httpx_client().stream("GET", "/api/events/stream", params={"userId": user_id, "after": first})
with stream as lines:
    for line in lines.iter_lines():
        if line.startswith("data: "):
            data = json.loads(line[6:])
            event = kinds[data["type"].split(".")[0]].from_dict(data)
            if event.id not in known:
                streamed.append(told_of(event))
            known.add(event.id)
        if len(streamed) >= len(told) - 1:
            break

wrong = DepositIntentRequest.from_dict({**intent.to_dict(), "targetAddress": "0x1"})
refusals = [
    get_execution.sync_detailed("nothing", client=client),
    put_deposit_intent.sync_detailed(client=client, body=wrong),
]
failures = [
    {
        "statusCode": good(refusal, Error).status_code,
        "message": good(refusal, Error).message,
        "code": refusal.headers.get("x-error-code"),
    }
    for refusal in refusals
]

seen = {
    "isReplayed": again.headers.get("idempotent-replayed") == "true",
    "amountOutExpected": simulated.amount_out_expected_atomic,
    "statuses": [each.status.value for each in executions],
    "pages": pages,
    "detail": {"id": detail.id, "amountOut": detail.amount_out, "transactions": len(detail.transactions)},
    "told": told,
    "streamed": streamed,
    "failures": failures,
}
print(json.dumps({"seen": seen}), flush=True)
