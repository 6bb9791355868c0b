import json
import os
from urllib.request import Request, urlopen


def ask(method, path, body=None):
    headers = {"x-api-key": os.environ["KEY"], "content-type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    with urlopen(Request(os.environ["API"] + path, data, headers, method=method), timeout=30) as answer:
        return json.load(answer)


intent = {
    "userId": "zoe",
    "targetChainId": 42161,
    "targetTokenAddress": "0xaf88d065e77c8cC2239327C5EDb3A432268e5831",
    "targetAddress": "0x1dE3D712f5D3103AD50e22dc1f4d3Ff1559D5115",
}
print("zoe sends to", ask("POST", "/api/deposit-intents", intent)["depositAddress"])
print("executions of yara:")
for execution in ask("GET", "/api/users/yara/executions"):
    print(execution["id"], execution["status"])
